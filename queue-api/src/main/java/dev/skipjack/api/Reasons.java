package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/** What an outcome says about itself. */
final class Reasons {

  private static final String NONE = "The handler gave no reason.";

  private Reasons() {}

  /**
   * The reason, or a sentence that says that there is none. A handler that has decided to end its
   * job must not fail because it forgot to say why.
   */
  static String orNone(@Nullable String reason) {
    return reason == null ? NONE : reason;
  }
}
