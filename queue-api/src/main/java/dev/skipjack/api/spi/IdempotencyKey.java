package dev.skipjack.api.spi;

import java.time.Duration;

/**
 * A key that makes the repeat of an enqueue safe: while it is kept, no second job with this key is
 * created, whatever the state of the first.
 *
 * @param key what is compared, 1 to 512 bytes
 * @param kept how long it is kept, counted from the enqueue by the database's clock
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
