package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;

/**
 * Where the next page of a list begins. Hand it back as it is: what it says is the store's affair.
 * It is a position and no cursor, so it stays good for as long as anybody likes, in another process
 * too, and costs the database nothing meanwhile.
 *
 * @param text letters, digits, {@code -} and {@code _} only, so URLs take it as it is
 */
public record PageToken(String text) {

  private static final int LONGEST = 200;

  /** Refuses what no store hands out. */
  public PageToken {
    if (!text.matches("[A-Za-z0-9_-]{1," + LONGEST + "}")) {
      throw new IllegalArgumentException(
          "Page token '%s' is not one that a list handed out.".formatted(SafeText.of(text, 80)));
    }
  }

  /** The bare text. */
  @Override
  public String toString() {
    return text;
  }
}
