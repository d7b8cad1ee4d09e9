package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/** Reasons of outcomes. */
final class Reasons {

  private static final String NONE = "The handler gave no reason.";

  private Reasons() {}

  /**
   * Returns the reason, or a default text. A handler that has decided to end its job must not fail
   * because it gave no reason.
   */
  static String orNone(@Nullable String reason) {
    return reason == null ? NONE : reason;
  }
}
