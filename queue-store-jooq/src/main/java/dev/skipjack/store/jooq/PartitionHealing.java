package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Runs a write to a partitioned table again after creating the partition that it missed. PostgreSQL
 * reports a missing partition as a check violation.
 */
final class PartitionHealing {

  static final String CHECK_VIOLATION = "23514";

  private final Runnable createMissing;
  private final AtomicBoolean missed = new AtomicBoolean();

  /**
   * @param createMissing creates the partitions of now
   */
  PartitionHealing(Runnable createMissing) {
    this.createMissing = createMissing;
  }

  /**
   * Notes that a partition was missed where nothing can be mended: in a caller's transaction, which
   * has failed and still holds its connection and its locks.
   */
  void later() {
    missed.set(true);
  }

  <R> R run(Supplier<R> write) {
    if (missed.compareAndSet(true, false)) {
      try {
        createMissing.run();
      } catch (StoreException failure) {
        missed.set(true); // this write may not need it at all
      }
    }
    try {
      return write.get();
    } catch (StoreException failure) {
      if (failure.sqlState().filter(CHECK_VIOLATION::equals).isEmpty()) {
        throw failure;
      }
      // Somebody else may have created it since, so the write is repeated whatever the answer is.
      createMissing.run();
      return write.get();
    }
  }
}
