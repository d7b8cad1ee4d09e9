package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.RescueStatement.Request;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jooq.DSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rescues jobs whose lease has expired, usually in one statement. If the database rejects a batch,
 * the batch is halved until the row that cannot be rescued is alone, and that row is skipped. Such
 * rows remain, but neither block the others nor count against the limit. Safe for any number of
 * threads.
 */
final class RescueSweep {

  /**
   * The maximum number of rejected rows per sweep. If more are rejected, the rows are not the
   * cause.
   */
  private static final int MOST_REFUSED = 50;

  /**
   * SQLSTATE classes of connection, transaction, server and resource failures, which no single row
   * causes.
   */
  private static final Set<String> NOT_CAUSED_BY_A_ROW = Set.of("08", "25", "28", "3D", "53", "57");

  private static final String QUERY_CANCELED = "57014";

  /** SQLSTATEs of the server's timeout and of the driver's timeout. */
  private static final Set<String> TIMED_OUT = Set.of(QUERY_CANCELED, "08006");

  /** The SQLSTATE of a missing privilege, which makes smaller batches fail too. */
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private static final Logger LOG = LoggerFactory.getLogger(RescueSweep.class);

  private final OwnTransactions transactions;
  private final Statement<Request, Rescued> rescue;
  private final Statement<Long, OptionalLong> firstExpired;
  private final Statement<Long, OptionalLong> oldestRunning;
  private final PartitionHealing healing;

  /**
   * The execution after which the next sweep begins: 0, unless too many rows of the last sweep were
   * rejected.
   */
  private final AtomicLong start = new AtomicLong();

  private final RescueMark mark;
  private final LongSupplier clock;

  RescueSweep(OwnTransactions transactions, Lazy<DSLContext> dialect, PartitionHealing healing) {
    this(transactions, dialect, healing, new RescueMark(RescueMark.FAST), System::nanoTime);
  }

  /**
   * @param clock a substitute for {@link System#nanoTime()}
   */
  RescueSweep(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      PartitionHealing healing,
      RescueMark mark,
      LongSupplier clock) {
    this.transactions = transactions;
    this.rescue = Statement.lazily(() -> RescueStatement.of(dialect.get()));
    this.firstExpired = Statement.lazily(() -> RescueStatement.firstExpired(dialect.get()));
    this.oldestRunning = Statement.lazily(() -> RescueStatement.oldestRunning(dialect.get()));
    this.healing = healing;
    this.mark = mark;
    this.clock = clock;
  }

  /** Records attempts that this process has claimed. */
  void claimed(List<ClaimedJob> jobs) {
    for (ClaimedJob job : jobs) {
      mark.claimed(job.execution().id().value());
    }
  }

  List<Rescued> run(Duration spread, int limit) {
    long began = clock.getAsLong();
    long from = mark.begin(began);
    try {
      return run(spread, limit, began, from);
    } catch (StoreException failure) {
      if (failure.sqlState().filter(TIMED_OUT::contains).isPresent()) {
        mark.timedOut(from, began, clock.getAsLong());
      }
      throw failure;
    }
  }

  private List<Rescued> run(Duration spread, int limit, long began, long from) {
    List<Rescued> rescued = new ArrayList<>();
    long after = Math.max(start.getAndSet(0), from);
    int size = limit;
    int refused = 0;
    while (rescued.size() < limit) {
      int asked = Math.min(size, limit - rescued.size());
      try {
        List<Rescued> batch = rescue(after, spread, asked);
        rescued.addAll(batch);
        if (batch.isEmpty()) {
          // Only a sweep that writes nothing shows how long the search takes.
          if (mark.searched(from, clock.getAsLong() - began)) {
            mark.learn(transactions.run(oldestRunning, from).get(0));
          }
        }
        if (batch.size() < asked) {
          break;
        }
        size = (int) Math.min(limit, size * 2L);
      } catch (StoreException failure) {
        if (!mayBeCausedByARow(failure)) {
          throw failure;
        }
        if (asked > 1) {
          LOG.debug(
              "Rescue rejected; retrying with half of the batch limit={} error={}",
              asked,
              failure.getMessage());
          size = asked / 2;
          continue;
        }
        OptionalLong expired = transactions.run(firstExpired, after).get(0);
        if (expired.isEmpty()) {
          break;
        }
        after = expired.getAsLong();
        // The cause is not logged: the detail of a database error may quote the row and its
        // payload.
        LOG.warn(
            "Job could not be rescued and was skipped executionId={} error={}",
            after,
            failure.getMessage());
        if (++refused == MOST_REFUSED) {
          start.set(after);
          break;
        }
      }
    }
    return rescued;
  }

  private static boolean mayBeCausedByARow(StoreException failure) {
    String state = failure.sqlState().orElse("08");
    return state.equals(QUERY_CANCELED)
        || (!state.equals(INSUFFICIENT_PRIVILEGE)
            && !NOT_CAUSED_BY_A_ROW.contains(state.substring(0, 2)));
  }

  private List<Rescued> rescue(long after, Duration spread, int limit) {
    return healing.run(() -> transactions.run(rescue, new Request(after, spread, limit)));
  }
}
