package dev.skipjack.api.operations;

import dev.skipjack.api.spi.SafeText;

/**
 * An opaque token for the position at which a page of a list starts. Pass it back unchanged. Unlike
 * a database cursor, a token uses no resources and never expires, even if it is passed to another
 * process.
 *
 * @param text the token, consisting of letters, digits, {@code -} and {@code _}, so that URLs can
 *     contain it without escaping
 */
public record PageToken(String text) {

  private static final int LONGEST = 200;

  /**
   * Creates a token from its text.
   *
   * @param text the text of a token that a list returned
   * @throws IllegalArgumentException if {@code text} is not a valid token
   */
  public PageToken {
    if (!text.matches("[A-Za-z0-9_-]{1," + LONGEST + "}")) {
      throw new IllegalArgumentException(
          "Page token '%s' is not valid. Use the token of a page that a list returned."
              .formatted(SafeText.of(text, 80)));
    }
  }

  /** Returns the text of the token. */
  @Override
  public String toString() {
    return text;
  }
}
