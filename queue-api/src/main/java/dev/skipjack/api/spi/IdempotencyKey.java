package dev.skipjack.api.spi;

import java.time.Duration;

/**
 * What makes the repeat of an enqueue safe: while it is kept, a second job that asks for it is not
 * created, whatever became of the first.
 *
 * @param key what is compared, 1 to 512 bytes
 * @param kept how long it is kept, counted from the enqueue by the database's clock
 */
public record IdempotencyKey(String key, Duration kept) {

  /**
   * A key among the jobs of one kind: two kinds may use the same one, an order's number for
   * instance.
   *
   * @throws IllegalArgumentException if {@code key} is empty, too long, or holds what PostgreSQL
   *     refuses
   */
  public static IdempotencyKey ofKind(String kind, String key, Duration kept) {
    return new IdempotencyKey(
        StoredKey.of("Idempotency key of kind '" + kind + "'", "idempotency/" + kind, key).text(),
        kept);
  }
}
