package dev.skipjack.api.spi;

import java.nio.charset.StandardCharsets;

/** Checks ordering keys, which are stored unchanged. */
public final class OrderingKey {

  /** The maximum length of a key, in bytes of UTF-8. */
  public static final int LONGEST = 512;

  private OrderingKey() {}

  /**
   * Checks that a key can be stored.
   *
   * @param key the ordering key
   * @return {@code key}
   * @throws IllegalArgumentException if {@code key} is empty, is longer than {@link #LONGEST}, or
   *     contains characters that PostgreSQL rejects
   */
  public static String require(String key) {
    StoredKey.require("Ordering key", key);
    int length = key.getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST) {
      throw new IllegalArgumentException(
          "Ordering key has %,d bytes in UTF-8; 1 to %,d are allowed. Use an id, or a hash of the key."
              .formatted(length, LONGEST));
    }
    return key;
  }
}
