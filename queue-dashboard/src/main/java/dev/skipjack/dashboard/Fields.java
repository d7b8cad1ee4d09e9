package dev.skipjack.dashboard;

import java.time.DateTimeException;
import java.time.Instant;

/** Reads the values of forms. */
final class Fields {

  private Fields() {}

  static int number(String text, String what) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException malformed) {
      throw Refusal.badInput(what + " must be a number.");
    }
  }

  static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException malformed) {
      throw Refusal.badInput("The due time must have the form 2026-12-01T08:00:00Z.");
    }
  }
}
