package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/** Supplies a default for missing reasons of outcomes. */
final class Reasons {

  private static final String NONE = "The handler gave no reason.";

  private Reasons() {}

  /**
   * Returns the reason, or a default text if it is null. A handler that has decided to end its job
   * must not fail for lack of a reason.
   */
  static String orNone(@Nullable String reason) {
    return reason == null ? NONE : reason;
  }
}
