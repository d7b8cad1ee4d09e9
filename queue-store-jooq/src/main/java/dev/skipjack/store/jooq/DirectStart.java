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
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.DirectStartStatement.Inserted;
import dev.skipjack.store.jooq.DirectStartStatement.Request;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues single jobs directly into free slots of this process's workers. Such a job is inserted
 * as running, and is started as soon as its transaction has committed. Other jobs wake these
 * workers without a notification. Safe for any number of threads.
 *
 * <p>A job is eligible only if it would wake a worker and has no key, because jobs with a key have
 * their own statements (docs/adr/0052).
 */
final class DirectStart implements LocalWorkers {

  private static final Logger LOG = LoggerFactory.getLogger(DirectStart.class);

  /** The SQLSTATE of a missing permission. */
  private static final String FORBIDDEN = "42501";

  /**
   * Beginnings of SQLSTATEs with which a plain enqueue would fail as well: the connection broke, or
   * the server is read-only or shutting down.
   */
  private static final Set<String> NOT_OF_THE_STATEMENT = Set.of("08", "25", "57P");

  private final OwnTransactions transactions;
  private final Statement<Request, Inserted> insert;
  private final Consumer<ClaimedJob> started;
  private final List<LocalWorker> workers = new CopyOnWriteArrayList<>();
  private volatile boolean forbidden;

  /**
   * @param started receives each job that was started
   */
  DirectStart(
      OwnTransactions transactions, Lazy<DSLContext> dialect, Consumer<ClaimedJob> started) {
    this.transactions = transactions;
    this.started = started;
    this.insert = Statement.lazily(() -> DirectStartStatement.of(dialect.get()));
  }

  @Override
  public void prepare() {
    StatementText unused = insert.text();
  }

  @Override
  public void add(LocalWorker worker) {
    workers.add(worker);
  }

  @Override
  public void remove(LocalWorker worker) {
    workers.remove(worker);
  }

  /** Wakes the workers of this process for jobs whose transaction has committed. */
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
    if (forbidden || workers.stream().noneMatch(worker -> worker.hasSlot(job))) {
      return null;
    }
    Start start = new Start(job);
    try {
      // The slot is taken only after a connection was obtained, so that no wait occupies it.
      return transactions
          .runAloneOnceConnected(insert, start::request)
          .map(rows -> start.committed(rows.get(0)))
          .orElse(null);
    } catch (StoreException failure) {
      start.failed(failure);
      if (isRejected(failure)) {
        return null;
      }
      throw failure;
    } finally {
      start.end();
    }
  }

  /** One enqueue and the slot that it has taken. */
  private final class Start {

    private final NewJob job;
    private @Nullable TakenSlot slot;
    private boolean jobsAhead;

    /** Whether the job may have been inserted as running, without this process knowing it. */
    private boolean isLost;

    Start(NewJob job) {
      this.job = job;
    }

    Optional<Request> request() {
      TakenSlot taken = null;
      for (LocalWorker worker : workers) {
        taken = taken == null ? worker.take(job) : taken;
      }
      slot = taken;
      isLost = true; // until there is a response
      return Optional.ofNullable(taken)
          .map(each -> new Request(job, each.worker(), each.lease(), each.spare()));
    }

    Enqueued committed(Inserted inserted) {
      ClaimedJob job = inserted.started();
      TakenSlot taken = slot;
      if (job != null && taken != null) {
        slot = null;
        taken.start(job); // before anything can fail: only this slot runs the committed job
        started.accept(job);
      }
      jobsAhead = job == null;
      isLost = false;
      return new Enqueued(new EnqueueResult.Enqueued(inserted.id()), job != null);
    }

    void failed(StoreException failure) {
      isLost = failure.isOutcomeUnknown();
    }

    void end() {
      if (slot == null) {
        return;
      }
      if (isLost) {
        slot.lost();
      } else {
        slot.free(jobsAhead);
      }
    }
  }

  /**
   * Returns whether the server has rejected the statement. A plain enqueue then follows. It needs
   * neither the audit's partition nor a worker's privileges, and callers know its errors.
   */
  private boolean isRejected(StoreException failure) {
    String state = failure.sqlState().orElse("");
    if (state.equals(FORBIDDEN) && !forbidden) {
      forbidden = true;
      LOG.info(
          "Jobs are claimed and not started directly, because the role that enqueues lacks a worker's privileges");
    }
    return !failure.isOutcomeUnknown()
        && !state.isEmpty()
        && NOT_OF_THE_STATEMENT.stream().noneMatch(other -> state.startsWith(other));
  }
}
