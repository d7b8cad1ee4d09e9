package dev.skipjack.sql;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.function.IntFunction;

/**
 * Limits the number of rows in a batch to what the database can complete. A batch that failed
 * because of a lock or a timeout is repeated with half the limit, and later batches keep the lower
 * limit. Not thread-safe.
 */
public final class ShrinkingLimit {

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private int limit;

  /**
   * Creates a limit of {@code largest} rows, which may shrink.
   *
   * @param largest the maximum number of rows of the first batch; positive
   */
  public ShrinkingLimit(int largest) {
    this.limit = largest;
  }

  /**
   * Runs one batch.
   *
   * @param <R> the type of the result
   * @param batch runs the batch with the given limit
   * @return the result of the batch
   * @throws StoreException if the batch fails for a reason other than a lock or a timeout, or with
   *     only a single row, or the thread is interrupted
   */
  public <R> R run(IntFunction<R> batch) {
    while (true) {
      try {
        return batch.apply(limit);
      } catch (StoreException failure) {
        if (limit == 1 || !Contention.caused(failure) || !Pause.upTo(LONGEST_PAUSE)) {
          throw failure;
        }
        limit /= 2;
      }
    }
  }
}
