package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jooq.DSLContext;

/**
 * Repeats a write to a partitioned table after creating the partition that was missing. PostgreSQL
 * reports a missing partition as a check violation.
 */
public final class PartitionHealing {

  private static final String CHECK_VIOLATION = "23514";
  private static final String FORBIDDEN = "42501";

  private final Supplier<Optional<StoreException>> createMissing;
  private final AtomicBoolean missed = new AtomicBoolean();

  /**
   * Creates an instance that creates missing partitions with {@code createMissing}.
   *
   * @param createMissing creates the partitions for the current time, or returns the reason why it
   *     could not
   */
  public PartitionHealing(Supplier<Optional<StoreException>> createMissing) {
    this.createMissing = createMissing;
  }

  /** Returns an instance that creates partitions of the history of jobs in {@code transactions}. */
  public static PartitionHealing by(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    return new PartitionHealing(
        new PartitionCreator(transactions, dialect, PartitionedTable.OF_JOBS)::createPresent);
  }

  /**
   * Returns whether a write failed because a partition is missing. The error names no constraint,
   * unlike a violation of a table's CHECK constraint.
   */
  public static boolean isMissing(SQLException failure) {
    return CHECK_VIOLATION.equals(failure.getSQLState())
        && OwnTransactions.constraintOf(failure).isEmpty();
  }

  private static boolean isMissing(StoreException failure) {
    return failure.getCause() instanceof SQLException cause && isMissing(cause);
  }

  /**
   * Makes the next write create the partition that was missing. Call this after a failure in a
   * caller's transaction, whose write cannot be repeated.
   */
  public void later() {
    missed.set(true);
  }

  /**
   * Runs {@code write}. If a partition is missing, creates it and runs {@code write} again.
   *
   * @throws StoreException if the write fails, or if the database rejects the creation of the
   *     partition
   */
  public <R> R run(Supplier<R> write) {
    if (missed.compareAndSet(true, false)) {
      try {
        Optional<StoreException> unused = createMissing.get();
      } catch (StoreException failure) {
        missed.set(true); // this write may not need it at all
      }
    }
    try {
      return write.get();
    } catch (StoreException failure) {
      if (!isMissing(failure)) {
        throw failure;
      }
      Optional<StoreException> refused = createMissing.get();
      try {
        // Another process may have created it since, so the write is repeated in any case.
        return write.get();
      } catch (StoreException again) {
        throw isMissing(again) ? refused.map(why -> explained(why, again)).orElse(again) : again;
      }
    }
  }

  /** Returns the failure to create the partition. */
  private static StoreException explained(StoreException refused, StoreException missing) {
    if (!(refused.getCause() instanceof SQLException cause)) {
      return missing;
    }
    String fix =
        FORBIDDEN.equals(cause.getSQLState())
            ? ". Grant EXECUTE on function create_partition to this role."
            : "";
    StoreException explained =
        new StoreException(
            "A partition is missing and could not be created: %s%s"
                .formatted(refused.getMessage(), fix),
            cause);
    explained.addSuppressed(missing);
    return explained;
  }
}
