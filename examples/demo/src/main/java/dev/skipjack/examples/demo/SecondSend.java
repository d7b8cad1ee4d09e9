package dev.skipjack.examples.demo;

import java.util.Locale;
import java.util.UUID;

/** Whether and when a delivery is sent again; one in ten is. */
enum SecondSend {
  /** It is sent once. */
  NONE,
  /** It is sent again right after the first time, when the job is usually still live. */
  AT_ONCE,
  /** It is sent again after the job of the first send is done. */
  WHEN_DONE;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** Returns the plan for a delivery; it is independent of its {@link Fate}. */
  static SecondSend of(UUID delivery, long salt) {
    return switch (Draw.below(20, delivery, ~salt)) {
      case 0 -> AT_ONCE;
      case 1 -> WHEN_DONE;
      default -> NONE;
    };
  }

  /** The value in the database. */
  String literal() {
    return literal;
  }

  /** Returns the constant with this value. */
  static SecondSend of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
