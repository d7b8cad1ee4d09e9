package dev.skipjack.api.spi;

import java.time.Duration;

/**
 * A key that makes it safe to repeat an enqueue: while the key is kept, no second job with it is
 * created, whatever the state of the first.
 *
 * @param key the text that is compared, 1 to 512 bytes
 * @param kept how long the key is kept, counted from the enqueue by the database's clock
 */
public record IdempotencyKey(String key, Duration kept) {

  /**
   * Creates a key among the jobs of one kind: two kinds may use the same key, for example an order
   * number.
   *
   * @throws IllegalArgumentException if {@code key} is empty, too long, or contains characters that
   *     PostgreSQL refuses
   */
  public static IdempotencyKey ofKind(String kind, String key, Duration kept) {
    return new IdempotencyKey(
        StoredKey.of("Idempotency key of kind '" + kind + "'", "idempotency/" + kind, key).text(),
        kept);
  }
}
