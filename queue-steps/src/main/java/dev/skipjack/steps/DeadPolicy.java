package dev.skipjack.steps;

import java.util.Locale;

/** What a dead job means for its batch. */
public enum DeadPolicy {

  /** The job has ended, like a completed or cancelled one. The default. */
  COUNT,

  /** The batch waits until the job is redriven and ends, is cancelled, or is pruned. */
  WAIT,

  /** The job has ended, and the other jobs of the batch are cancelled. */
  CANCEL_REST;

  /** Returns the policy that is stored as {@code literal}. */
  static DeadPolicy of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }

  /** Returns the policy as it is stored. */
  String literal() {
    return name().toLowerCase(Locale.ROOT);
  }
}
