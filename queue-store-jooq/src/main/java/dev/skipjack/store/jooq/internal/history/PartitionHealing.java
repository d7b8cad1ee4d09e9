package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jooq.DSLContext;

/**
 * Runs a write to a partitioned table again after creating the partition that it missed. PostgreSQL
 * reports a missing partition as a check violation.
 */
public final class PartitionHealing {

  private static final String CHECK_VIOLATION = "23514";
  private static final String FORBIDDEN = "42501";

  private final Supplier<Optional<StoreException>> createMissing;
  private final AtomicBoolean missed = new AtomicBoolean();

  /**
   * Heals by {@code createMissing}.
   *
   * @param createMissing creates the partitions of now, or returns why it could not
   */
  public PartitionHealing(Supplier<Optional<StoreException>> createMissing) {
    this.createMissing = createMissing;
  }

  /** One that creates partitions by {@code transactions}. */
  public static PartitionHealing by(OwnTransactions transactions, DSLContext dialect) {
    return new PartitionHealing(new PartitionCreator(transactions, dialect)::createPresent);
  }

  /**
   * Whether a write failed because a partition is missing. A violation of a table's own CHECK names
   * its constraint.
   */
  public static boolean isMissing(SQLException failure) {
    return CHECK_VIOLATION.equals(failure.getSQLState())
        && OwnTransactions.constraintOf(failure).isEmpty();
  }

  private static boolean isMissing(StoreException failure) {
    return failure.getCause() instanceof SQLException cause && isMissing(cause);
  }

  /**
   * Lets the next write create the partition that was missing. For a failure that cannot be healed
   * at once: a caller's transaction has failed and still holds its connection and its locks.
   */
  public void later() {
    missed.set(true);
  }

  /**
   * Runs {@code write}, and again after creating the partition if one was missing.
   *
   * @throws StoreException the failure of the write; or of the creation, if that was refused
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

  /**
   * The refusal to create the partition is what an operator has to know, not that it is missing.
   */
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
            "A partition is missing and could not be created. %s%s"
                .formatted(refused.getMessage(), fix),
            cause);
    explained.addSuppressed(missing);
    return explained;
  }
}
