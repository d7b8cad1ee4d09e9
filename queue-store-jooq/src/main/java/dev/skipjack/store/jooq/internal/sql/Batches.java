package dev.skipjack.store.jooq.internal.sql;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.function.IntFunction;

/**
 * Runs batches of a size that the database lets through: a batch that failed for a lock or a
 * timeout is repeated at half the size, and those after it stay small. Belongs to one thread.
 */
public final class Batches {

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private int size;

  /** Begins with batches of {@code largest} rows. */
  public Batches(int largest) {
    this.size = largest;
  }

  /**
   * Runs one batch.
   *
   * @param batch gets the size
   * @return its result
   * @throws StoreException if it fails for another reason, or with a single row
   */
  public <R> R run(IntFunction<R> batch) {
    while (true) {
      try {
        return batch.apply(size);
      } catch (StoreException failure) {
        if (size == 1 || !Contention.caused(failure) || !Pause.upTo(LONGEST_PAUSE)) {
          throw failure;
        }
        size /= 2;
      }
    }
  }
}
