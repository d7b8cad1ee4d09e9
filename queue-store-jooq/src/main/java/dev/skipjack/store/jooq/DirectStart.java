package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.LocalWorker;
import dev.skipjack.api.spi.LocalWorker.TakenSlot;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.EndedTransaction;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.DirectStartStatement.Inserted;
import dev.skipjack.store.jooq.DirectStartStatement.Request;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
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
  private final Statement<Request, Inserted> insertInTransaction;
  private final Statement<ConfirmStartStatement.Request, Boolean> confirm;
  private final OutcomeStatement<List<Requeue>, Ended> requeue;
  private final Consumer<ClaimedJob> started;
  private final List<LocalWorker> workers = new CopyOnWriteArrayList<>();
  private volatile boolean forbidden;

  /** Whether a caller's transaction, which may have another role, lacked the privileges. */
  private volatile boolean forbiddenToCallers;

  /**
   * @param started receives each job that was started
   */
  DirectStart(
      OwnTransactions transactions, Lazy<DSLContext> dialect, Consumer<ClaimedJob> started) {
    this.transactions = transactions;
    this.started = started;
    this.insert = Statement.lazily(() -> DirectStartStatement.of(dialect.get()));
    this.insertInTransaction =
        Statement.lazily(() -> DirectStartStatement.inTransaction(dialect.get()));
    this.confirm = Statement.lazily(() -> ConfirmStartStatement.of(dialect.get()));
    this.requeue = OutcomeStatement.lazily(() -> RequeueStatement.of(dialect.get(), EndParts.NONE));
  }

  @Override
  public void prepare() {
    StatementText unused = insert.text();
    StatementText unusedInTransaction = insertInTransaction.text();
    StatementText unusedConfirmation = confirm.text();
    StatementText unusedRelease = requeue.in(AuditWeeks.containing(Instant.now())).text();
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
      if (isForbidden(failure) && !forbidden) {
        forbidden = true;
        LOG.info(
            "Jobs are claimed and not started directly, because the role that enqueues lacks a worker's privileges");
      }
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
   * Enqueues a job for a free slot in a caller's transaction.
   *
   * @param job a job that is due now and without a key
   * @param followed receives the start of the job after the commit, or its wake-up
   * @return null if there is no free slot, or if the job must be enqueued in another way; nothing
   *     was written then
   */
  @Nullable EnqueueResult enqueue(Connection transaction, NewJob job, FollowedTransaction followed)
      throws SQLException {
    Session session = Session.in(transaction);
    TakenSlot slot = forbiddenToCallers ? null : takeInTransaction(job);
    if (slot == null) {
      return null;
    }
    followed.tried();
    boolean isDeferred = false;
    try {
      Inserted inserted =
          session
              .runInSavepoint(
                  insertInTransaction, new Request(job, slot.worker(), slot.lease(), slot.spare()))
              .get(0);
      EnqueueResult result = new EnqueueResult.Enqueued(inserted.id());
      ClaimedJob running = inserted.started();
      if (running != null) {
        followed.add(new DeferredStart(job, running, slot));
        isDeferred = true;
      } else {
        // The jobs that come first may be uncommitted ones of this transaction.
        slot.free(false);
        followed.wakeUps().add(List.of(job), List.of(result));
      }
      return result;
    } catch (SQLException failure) {
      slot.free(false); // the savepoint was rolled back, or the connection broke
      StoreException refused = OwnTransactions.refused(failure);
      if (isForbidden(refused) && !forbiddenToCallers) {
        forbiddenToCallers = true;
        LOG.info(
            "Jobs of callers' transactions are claimed and not started directly, because the role of one lacks a worker's privileges");
      }
      if (isRejected(refused)) {
        return null;
      }
      throw failure;
    } finally {
      if (!isDeferred) {
        slot.lost();
      }
    }
  }

  private @Nullable TakenSlot takeInTransaction(NewJob job) {
    for (LocalWorker worker : workers) {
      TakenSlot taken = worker.takeInTransaction(job);
      if (taken != null) {
        return taken;
      }
    }
    return null;
  }

  /**
   * The start of a job that a caller's transaction has inserted as running. One of {@link #giveUp},
   * {@link #ended} and {@link #unknown} must be called at the end. If {@code giveUp} or {@code
   * ended} returns true, the job is pending again, and a worker must be woken. These methods never
   * throw, because the caller's transaction is not affected. Not thread-safe.
   */
  final class DeferredStart {

    private final NewJob enqueued;
    private final ClaimedJob job;
    private final TakenSlot slot;

    private DeferredStart(NewJob enqueued, ClaimedJob job, TakenSlot slot) {
      this.enqueued = enqueued;
      this.job = job;
      this.slot = slot;
    }

    /** Returns the job as it was enqueued. */
    NewJob enqueued() {
      return enqueued;
    }

    JobId jobId() {
      return job.execution().jobId();
    }

    /** Returns whether the worker still keeps the slot. */
    boolean isKept() {
      return slot.isKept();
    }

    /** Makes the job pending again in the open transaction. */
    boolean giveUp(Connection transaction) {
      return end(() -> freed(requeueWithin(transaction), false));
    }

    /**
     * Starts the job if it was committed, or makes it pending again. If a transaction is open on
     * the connection, makes the job pending in that transaction, which is either the one that
     * inserted the job or a later one. The worker searches for the job as well, because that
     * transaction may still be rolled back.
     */
    boolean ended(Connection connection) {
      return end(
          () -> {
            int spare = slot.isKept() ? slot.spareNow() : -1;
            Optional<List<Boolean>> found =
                EndedTransaction.read(
                    connection, confirm, new ConfirmStartStatement.Request(job, spare));
            return found.isEmpty()
                ? requeueWithin(connection).status() == JobStatus.PENDING
                : startOrFree(connection, found.get());
          });
    }

    /**
     * Makes the worker search for the job, because it is unknown whether the transaction was
     * committed.
     */
    void unknown() {
      slot.lost();
    }

    /**
     * Runs {@code ending}. If it fails or has not used the slot, the worker searches for the job.
     */
    private boolean end(Callable<Boolean> ending) {
      try {
        return ending.call();
      } catch (Throwable failure) {
        LOG.debug("The worker searches for a job that was not started job={}", jobId(), failure);
        return false;
      } finally {
        slot.lost();
      }
    }

    /**
     * @param mayStart the result of the confirmation
     */
    private boolean startOrFree(Connection connection, List<Boolean> mayStart) throws SQLException {
      if (mayStart.isEmpty()) {
        slot.free(false);
        return false;
      }
      if (mayStart.contains(true)) {
        slot.start(job);
        started.accept(job);
        return false;
      }
      List<Ended> released = new ArrayList<>();
      EndedTransaction.after(connection, own -> released.add(requeue(connection)));
      return freed(released.get(0), true);
    }

    /** Frees the slot, unless a lock prevented the release of the job. */
    private boolean freed(Ended released, boolean jobsAhead) {
      boolean isPending = released.status() == JobStatus.PENDING;
      if (released.verdict() != Verdict.BUSY) {
        slot.free(jobsAhead && isPending);
      }
      return isPending;
    }

    private Ended requeueWithin(Connection transaction) throws SQLException {
      Savepoint savepoint = transaction.setSavepoint();
      Ended released;
      try {
        released = requeue(transaction);
      } catch (SQLException rejected) {
        transaction.rollback(savepoint);
        throw rejected;
      }
      transaction.releaseSavepoint(savepoint);
      return released;
    }

    private Ended requeue(Connection connection) throws SQLException {
      List<Requeue> attempts =
          List.of(Requeue.until(job.execution(), ExecutionStatus.RELEASED, job.scheduledAt()));
      return requeue.ending(attempts).run(connection, attempts).get(0);
    }
  }

  /**
   * Returns whether the server has rejected the statement. A plain enqueue then follows, which
   * needs neither the audit's partition nor a worker's privileges. Its errors are those that
   * callers expect.
   */
  private static boolean isRejected(StoreException failure) {
    String state = failure.sqlState().orElse("");
    return !failure.isOutcomeUnknown()
        && !state.isEmpty()
        && NOT_OF_THE_STATEMENT.stream().noneMatch(other -> state.startsWith(other));
  }

  private static boolean isForbidden(StoreException failure) {
    return failure.sqlState().orElse("").equals(FORBIDDEN);
  }
}
