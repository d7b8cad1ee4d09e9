package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import java.util.function.Supplier;

/**
 * Runs a write to a partitioned table again after creating the partition that it missed. PostgreSQL
 * reports a missing partition as a check violation.
 */
final class PartitionHealing {

  static final String CHECK_VIOLATION = "23514";

  private final Runnable createMissing;

  /**
   * @param createMissing creates the partitions of now
   */
  PartitionHealing(Runnable createMissing) {
    this.createMissing = createMissing;
  }

  <R> R run(Supplier<R> write) {
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
