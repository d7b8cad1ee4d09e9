package dev.skipjack.demo;

/** The result of a run of the demo. */
public enum DemoResult {
  /** Every delivery had exactly its expected effect. */
  VERIFIED,
  /** A check failed, or the run was stopped before the end. */
  NOT_VERIFIED
}
