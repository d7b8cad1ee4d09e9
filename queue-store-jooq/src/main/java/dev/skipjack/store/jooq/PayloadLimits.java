package dev.skipjack.store.jooq;

import dev.skipjack.api.PayloadException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a payload may be, checked before any SQL: an error of the server would cost the caller its
 * transaction. PostgreSQL's jsonb takes neither U+0000 nor a lone surrogate, and deep nesting
 * exhausts its stack.
 */
final class PayloadLimits {

  /**
   * Most bytes of a payload in UTF-8: 256 KiB. A payload is for ids; documents belong in tables or
   * object stores.
   */
  static final int LARGEST = 256 * 1024;

  /** Most arrays and objects inside one another. */
  static final int DEEPEST = 100;

  private PayloadLimits() {}

  static String require(String kind, String json) {
    int bytes = json.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > LARGEST) {
      throw new PayloadException(
          "Payload of kind '%s' has %,d bytes; %,d are allowed. Store the document elsewhere and enqueue its id."
              .formatted(kind, bytes, LARGEST),
          null);
    }
    Scan scan = new Scan(json);
    String problem = scan.problem();
    if (problem != null) {
      throw new PayloadException(
          "Payload of kind '%s' %s at character %d of its JSON; PostgreSQL's jsonb refuses it."
              .formatted(kind, problem, scan.position),
          null);
    }
    return json;
  }

  /** One pass over well-formed JSON. */
  private static final class Scan {

    private final String json;
    private int position;
    private boolean inString;
    private boolean afterHigh;
    private int depth;

    Scan(String json) {
      this.json = json;
    }

    @Nullable String problem() {
      while (position < json.length()) {
        String problem =
            inString ? inString(json.charAt(position)) : outside(json.charAt(position));
        if (problem != null) {
          return problem;
        }
        position++;
      }
      return null;
    }

    private @Nullable String outside(char c) {
      switch (c) {
        case '"' -> inString = true;
        case '{', '[' -> depth++;
        case '}', ']' -> depth--;
        default -> {}
      }
      return depth > DEEPEST ? "is nested deeper than " + DEEPEST : null;
    }

    private @Nullable String inString(char c) {
      char unit = c;
      if (c == '"') {
        inString = false;
      } else if (c == '\\') {
        position++;
        if (json.charAt(position) == 'u') {
          unit = (char) Integer.parseInt(json, position + 1, position + 5, 16);
          position += 4;
        } else {
          unit = ' ';
        }
      }
      if (unit == '\0') {
        return "holds U+0000";
      }
      boolean low = Character.isLowSurrogate(unit);
      if (afterHigh != low) {
        return "holds a lone surrogate";
      }
      afterHigh = Character.isHighSurrogate(unit);
      return null;
    }
  }
}
