package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.function.IntFunction;

/**
 * Runs batches of a size that the database lets through: a batch that met somebody's lock or a
 * timeout is tried again at half the size, and those after it stay small. Belongs to one thread.
 */
final class Batches {

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private int size;

  Batches(int largest) {
    this.size = largest;
  }

  /**
   * What {@code batch} answered for the size it was given.
   *
   * @throws StoreException if it fails for another reason, or with a single row
   */
  <R> R run(IntFunction<R> batch) {
    while (true) {
      try {
        return batch.apply(size);
      } catch (StoreException failure) {
        if (size == 1 || !PartitionErrors.isWaiting(failure) || !Pause.upTo(LONGEST_PAUSE)) {
          throw failure;
        }
        size /= 2;
      }
    }
  }
}
