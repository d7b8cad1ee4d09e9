package dev.skipjack.demo;

import java.util.Locale;
import java.util.UUID;

/** Determines whether and when a delivery is sent again. One delivery in ten is sent twice. */
enum SecondSend {
  /** The delivery is sent once. */
  NONE,
  /** The delivery is sent again immediately, when its job is usually still live. */
  AT_ONCE,
  /** The delivery is sent again after the job of the first send has ended. */
  WHEN_DONE;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** Returns the plan for a delivery, which is independent of its {@link Fate}. */
  static SecondSend of(UUID delivery, long salt) {
    return switch (Draw.below(20, delivery, ~salt)) {
      case 0 -> AT_ONCE;
      case 1 -> WHEN_DONE;
      default -> NONE;
    };
  }

  /** Returns the value in the database. */
  String literal() {
    return literal;
  }

  /** Returns the constant with this value. */
  static SecondSend of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
