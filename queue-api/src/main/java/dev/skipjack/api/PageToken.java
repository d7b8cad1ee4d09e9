package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;

/**
 * Position of the next page of a list. Pass it back unchanged; its content is internal to the
 * store. It is a position, not a cursor, so it stays valid indefinitely, even in another process,
 * and uses no resources of the database.
 *
 * @param text letters, digits, {@code -} and {@code _} only, so it can be used in URLs unchanged
 */
public record PageToken(String text) {

  private static final int LONGEST = 200;

  /** Rejects texts that no store returns. */
  public PageToken {
    if (!text.matches("[A-Za-z0-9_-]{1," + LONGEST + "}")) {
      throw new IllegalArgumentException(
          "Page token '%s' is not valid. Use the token of a page that a list returned."
              .formatted(SafeText.of(text, 80)));
    }
  }

  /** The plain text. */
  @Override
  public String toString() {
    return text;
  }
}
