package dev.skipjack.api.spi;

import java.time.Duration;

/**
 * A key that makes it safe to repeat an enqueue. While the key is kept, no second job is created
 * with it, regardless of the state of the first job.
 *
 * @param key the text that is compared, 1 to 512 bytes
 * @param kept how long the key is kept, measured from the enqueue by the database clock
 */
public record IdempotencyKey(String key, Duration kept) {

  /**
   * {@return a key that is scoped to one kind, so that two kinds can use the same key, such as an
   * order number, independently}
   *
   * @param kind the kind of the job
   * @param key the key
   * @param kept how long the key is kept after the enqueue
   * @throws IllegalArgumentException if {@code key} is empty, is too long, or contains characters
   *     that PostgreSQL rejects
   */
  public static IdempotencyKey ofKind(String kind, String key, Duration kept) {
    return new IdempotencyKey(
        StoredKey.of("Idempotency key of kind '" + kind + "'", "idempotency/" + kind, key).text(),
        kept);
  }
}
