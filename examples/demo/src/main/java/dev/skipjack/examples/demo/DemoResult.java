package dev.skipjack.examples.demo;

/** How a run of the demo ended. */
public enum DemoResult {
  /** Every delivery had exactly its effect. */
  VERIFIED,
  /** A check failed, or the run was stopped before the end. */
  NOT_VERIFIED,
  /** What came before the bad line of the input was verified; the rest was not sent. */
  BAD_INPUT
}
