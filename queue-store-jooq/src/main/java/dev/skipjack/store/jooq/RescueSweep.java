package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back jobs whose lease ran out, in one statement when all goes well. A batch that the
 * database refuses is cut in halves until the row that cannot be rescued stands alone, and is
 * stepped over; so such rows, which stay and are the oldest of each sweep, neither stop the others
 * nor take their places. Safe for any number of threads.
 */
final class RescueSweep {

  /** In one sweep; where all are refused, the database has another trouble than a row. */
  private static final int MOST_REFUSED = 50;

  /**
   * Connection, state of the transaction or the server, resources: smaller batches fail as well.
   */
  private static final Set<String> NO_ROWS_FAULT = Set.of("08", "25", "28", "3D", "53", "57");

  private static final String QUERY_CANCELED = "57014";

  /** The server's timeout, and what the driver makes of its own. */
  private static final Set<String> TIMED_OUT = Set.of(QUERY_CANCELED, "08006");

  /** The role lacks a right: it lacks it for a smaller batch too. */
  private static final String NO_RIGHT = "42501";

  private static final Logger LOG = LoggerFactory.getLogger(RescueSweep.class);

  private final OwnTransactions transactions;
  private final Statements statements;
  private final PartitionHealing healing;

  /**
   * Execution behind which the next sweep begins: 0, unless the last one met too many refusals. A
   * hint, shared by all threads.
   */
  private final AtomicLong start = new AtomicLong();

  private final RescueMark mark;
  private final LongSupplier clock;

  RescueSweep(OwnTransactions transactions, Statements statements, PartitionHealing healing) {
    this(transactions, statements, healing, new RescueMark(RescueMark.FAST), System::nanoTime);
  }

  /**
   * @param clock as {@link System#nanoTime()}
   */
  RescueSweep(
      OwnTransactions transactions,
      Statements statements,
      PartitionHealing healing,
      RescueMark mark,
      LongSupplier clock) {
    this.transactions = transactions;
    this.statements = statements;
    this.healing = healing;
    this.mark = mark;
    this.clock = clock;
  }

  /** Learns of attempts that this process has claimed. */
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
          // One that rescues takes longer for what it writes.
          if (mark.looked(from, clock.getAsLong() - began)) {
            mark.learn(oldestRunning(from));
          }
        }
        if (batch.size() < asked) {
          break;
        }
        size = (int) Math.min(limit, size * 2L);
      } catch (StoreException failure) {
        if (!mayBeARows(failure)) {
          throw failure;
        }
        if (asked > 1) {
          LOG.debug(
              "Rescue refused, trying half of the batch asked={} error={}",
              asked,
              failure.getMessage());
          size = asked / 2;
          continue;
        }
        after = firstExpired(after);
        if (after == 0) {
          break;
        }
        // Without the cause: the detail of a database's error may quote the row and its payload.
        LOG.warn(
            "Job could not be rescued, stepping over it executionId={} error={}",
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

  private static boolean mayBeARows(StoreException failure) {
    String state = failure.sqlState().orElse("08");
    return state.equals(QUERY_CANCELED)
        || (!state.equals(NO_RIGHT) && !NO_ROWS_FAULT.contains(state.substring(0, 2)));
  }

  private List<Rescued> rescue(long after, Duration spread, int limit) {
    return healing.run(
        () ->
            transactions.run(
                statements.rescue,
                RescueStatement.arguments(after, spread, limit),
                RescueStatement::read));
  }

  private OptionalLong oldestRunning(long after) {
    long oldest =
        transactions
            .run(
                statements.oldestRunning,
                RescueStatement.firstArguments(after),
                row -> row.getLong(1))
            .get(0);
    return oldest == 0 ? OptionalLong.empty() : OptionalLong.of(oldest);
  }

  /** The execution of the first expired job behind {@code after}; 0 if there is none. */
  private long firstExpired(long after) {
    return transactions
        .run(statements.firstExpired, RescueStatement.firstArguments(after), row -> row.getLong(1))
        .get(0);
  }
}
