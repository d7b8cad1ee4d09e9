package dev.skipjack.steps;

import java.nio.charset.StandardCharsets;

/** Checks the names of steps and signals, and the keys of signals. */
final class StepNames {

  static final int LONGEST = 512;

  private StepNames() {}

  /**
   * Returns the text.
   *
   * @param what what the text is, as the first word of the message
   * @throws IllegalArgumentException if it is empty, too long, or PostgreSQL cannot store it
   */
  static String require(String what, String text) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > LONGEST) {
      throw new IllegalArgumentException(
          "%s '%s' has %d bytes in UTF-8; 1 to %d are allowed."
              .formatted(what, shown(text), bytes, LONGEST));
    }
    if (text.indexOf('\0') >= 0 || !isEncodable(text)) {
      throw new IllegalArgumentException(
          "%s '%s' contains a NUL character or half of a surrogate pair, which PostgreSQL cannot store."
              .formatted(what, shown(text)));
    }
    return text;
  }

  private static boolean isEncodable(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  private static String shown(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }
}
