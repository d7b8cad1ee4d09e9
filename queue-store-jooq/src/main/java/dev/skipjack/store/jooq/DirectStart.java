package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.LocalWorker;
import dev.skipjack.api.spi.LocalWorker.TakenSlot;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.DirectStartStatement.Inserted;
import dev.skipjack.store.jooq.DirectStartStatement.Request;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues single jobs straight into free slots of workers of this process: inserted as running in
 * one transaction, and started as soon as it has committed. Other jobs wake these workers without a
 * notification. Safe for any number of threads.
 *
 * <p>Only jobs take part for which a worker would be woken and that have no key: the rules of
 * unique jobs, idempotency and order have their own statements (docs/adr/0052).
 */
final class DirectStart implements LocalWorkers {

  private static final Logger LOG = LoggerFactory.getLogger(DirectStart.class);

  /** The SQLSTATE of a missing permission. */
  private static final String FORBIDDEN = "42501";

  /**
   * The classes of SQLSTATEs that are about the statement and its rows: wrong values, violated
   * constraints, conflicts, missing rights and errors of triggers.
   */
  private static final Set<String> REJECTIONS = Set.of("22", "23", "40", "42", "44", "P0");

  private final OwnTransactions transactions;
  private final Statement<Request, Inserted> insert;
  private final List<LocalWorker> workers = new CopyOnWriteArrayList<>();
  private volatile boolean forbidden;

  DirectStart(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.insert = Statement.lazily(() -> DirectStartStatement.of(dialect.get()));
  }

  @Override
  public void add(LocalWorker worker) {
    workers.add(worker);
  }

  @Override
  public void remove(LocalWorker worker) {
    workers.remove(worker);
  }

  /** Tells the workers of this process of jobs whose transaction has committed. */
  void expect(List<WakeUp> wakeUps) {
    for (LocalWorker worker : workers) {
      wakeUps.forEach(worker::expect);
    }
  }

  /**
   * The result of an enqueue for which a slot was free.
   *
   * @param started whether the job is running, so that no worker needs to be woken
   */
  record Enqueued(EnqueueResult result, boolean started) {}

  /**
   * Enqueues a job for a free slot.
   *
   * @param job a job that is due now and without a key
   * @return null if there is no free slot, or if the job must be enqueued in another way; nothing
   *     was written then
   * @throws StoreException as for an enqueue
   */
  @Nullable Enqueued enqueue(NewJob job) {
    TakenSlot slot = workers.isEmpty() || forbidden ? null : take(job);
    return slot == null ? null : enqueue(job, slot);
  }

  private @Nullable TakenSlot take(NewJob job) {
    for (LocalWorker worker : workers) {
      TakenSlot slot = worker.take(job);
      if (slot != null) {
        return slot;
      }
    }
    return null;
  }

  private @Nullable Enqueued enqueue(NewJob job, TakenSlot slot) {
    boolean used = false;
    boolean jobsAhead = false;
    try {
      Request request = new Request(job, slot.worker(), slot.lease(), slot.spare());
      Inserted inserted = transactions.runAlone(insert, request).get(0);
      ClaimedJob started = inserted.started();
      if (started != null) {
        used = true;
        slot.start(started);
      } else {
        jobsAhead = true;
      }
      return new Enqueued(new EnqueueResult.Enqueued(inserted.id()), used);
    } catch (StoreException failure) {
      if (isRejected(failure)) {
        return null;
      }
      throw failure;
    } finally {
      if (!used) {
        slot.free(jobsAhead);
      }
    }
  }

  /**
   * Returns whether the server has rejected the statement. The plain enqueue then decides: it does
   * not need the audit's partition and the rights of a worker, and its errors are those that
   * callers know.
   */
  private boolean isRejected(StoreException failure) {
    String state = failure.sqlState().orElse("");
    if (state.equals(FORBIDDEN) && !forbidden) {
      forbidden = true;
      LOG.info(
          "Jobs are not started directly, because the role that enqueues has not the rights of a worker");
    }
    return !failure.isOutcomeUnknown()
        && REJECTIONS.stream().anyMatch(rejection -> state.startsWith(rejection));
  }
}
