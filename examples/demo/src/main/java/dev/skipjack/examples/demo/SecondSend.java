package dev.skipjack.examples.demo;

import java.util.Locale;
import java.util.UUID;

/** Whether the sender of a delivery sends it again: one in ten does. */
enum SecondSend {
  /** It is sent once. */
  NONE,
  /** Again right after the first time, when the job usually still lives. */
  AT_ONCE,
  /** Again after the first one's job is done. */
  WHEN_DONE;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** What is planned for a delivery; independent of its {@link Fate}. */
  static SecondSend of(UUID delivery, long salt) {
    return switch (Draw.below(20, delivery, ~salt)) {
      case 0 -> AT_ONCE;
      case 1 -> WHEN_DONE;
      default -> NONE;
    };
  }

  /** The word in the database. */
  String literal() {
    return literal;
  }

  /** The one with this word. */
  static SecondSend of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
