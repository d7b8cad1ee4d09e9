package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import java.util.Locale;

/**
 * Makes text from other sources safe for the log: it can neither look like another log line nor
 * move the cursor.
 */
final class LogText {

  private LogText() {}

  /**
   * Describes an error without its causes, because the error of a database may quote a row and
   * thereby a payload.
   */
  static String of(Throwable error) {
    return error instanceof StoreException ? String.valueOf(error.getMessage()) : error.toString();
  }

  /** Returns the text on one line, in quotes, truncated to about {@code longest} characters. */
  static String quoted(String text, int longest) {
    StringBuilder line = new StringBuilder(Math.min(text.length(), longest) + 8).append('"');
    append(line, text, longest, false);
    return line.append('"').toString();
  }

  /** Returns the text on separate, indented lines. */
  static String indented(String text) {
    StringBuilder lines = new StringBuilder(text.length() + 256);
    text.lines()
        .forEach(
            line -> {
              lines.append(System.lineSeparator()).append("    ");
              append(lines, line, Integer.MAX_VALUE, true);
            });
    return lines.toString();
  }

  private static void append(StringBuilder to, String text, int longest, boolean isLine) {
    int length = Math.min(text.length(), longest);
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (isLine && c == '\t') {
        to.append("    ");
      } else if (!isLine && c == '"') {
        to.append("\\\"");
      } else if (c == '\n') {
        to.append("\\n");
      } else if (c == '\r') {
        to.append("\\r");
      } else if (c == '\t') {
        to.append("\\t");
      } else if (isUnsafe(c)) {
        to.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        to.append(c);
      }
    }
    if (length < text.length()) {
      to.append("...");
    }
  }

  /**
   * Returns whether the character is a control character, a line or paragraph separator, or an
   * invisible formatting character, such as one that changes the direction of text.
   */
  private static boolean isUnsafe(char c) {
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || type == Character.FORMAT;
  }
}
