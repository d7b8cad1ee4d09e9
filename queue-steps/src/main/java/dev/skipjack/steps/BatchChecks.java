package dev.skipjack.steps;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.Chunks;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.steps.BatchTable.Growth;
import dev.skipjack.steps.BatchTable.JobsOf;
import dev.skipjack.steps.FindBatchesStatement.Found;
import dev.skipjack.steps.FindBatchesStatement.Page;
import dev.skipjack.steps.SettleBatchesStatement.Settled;
import dev.skipjack.store.jooq.internal.OwnedJobsProvider;
import dev.skipjack.store.jooq.internal.OwnedJobsProvider.Cancel;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes batches, enqueues their callbacks, resumes the jobs that wait for them, and cancels the
 * remaining jobs of cancelled batches. Safe for any number of threads, which share the position of
 * the sweep.
 */
final class BatchChecks implements OwnedJobs {

  private static final Logger LOG = LoggerFactory.getLogger(BatchChecks.class);

  /** The maximum number of batches per sweep, which limits a sweep to a few milliseconds. */
  private static final int BATCHES_OF_A_SWEEP = 500;

  /** The maximum number of batches that finish in one transaction. */
  private static final int SETTLED_TOGETHER = 50;

  /** The maximum number of jobs that are cancelled in one transaction. */
  private static final int CANCELLED_TOGETHER = 500;

  /** How long a call may cancel jobs. The calling thread has other work. */
  private static final long LONGEST_CANCEL = Duration.ofMillis(500).toNanos();

  /** How long a batch is kept after it has finished. */
  private static final Duration KEPT = Duration.ofDays(30);

  private static final long PRUNE_INTERVAL = Duration.ofHours(1).toNanos();

  /** The maximum number of batches whose failures are remembered. */
  private static final int MOST_FAILED = 1_000;

  private final OwnTransactions transactions;
  private final QueueExtension.Writer writer;
  private final QueueExtension.Waker waker;
  private final Cancel cancel;
  private final Statement<Collection<Long>, Found> named;
  private final Statement<Page, Found> next;
  private final Statement<Collection<Long>, Settled> settle;
  private final Statement<Growth, Long> growByCallbacks;
  private final Statement<Long, Long> cancelInner;
  private final Statement<JobsOf, JobId> uncancelled;
  private final Statement<Duration, Integer> prune;
  private final AtomicLong pruneAt = new AtomicLong(System.nanoTime());

  /** The batches whose finish the database rejected, so that each failure is logged once. */
  private final Set<Long> failed = ConcurrentHashMap.newKeySet();

  /** The batch after which the next sweep begins. */
  private volatile long after;

  BatchChecks(OwnedJobsProvider.Parts queue) {
    this.transactions = queue.transactions();
    this.writer = queue.writer();
    this.waker = queue.waker();
    this.cancel = queue.cancel();
    this.named = Statement.lazily(() -> FindBatchesStatement.named(queue.dialect().get()));
    this.next = Statement.lazily(() -> FindBatchesStatement.next(queue.dialect().get()));
    this.settle = Statement.lazily(() -> SettleBatchesStatement.of(queue.dialect().get()));
    this.growByCallbacks =
        Statement.lazily(() -> BatchTable.growByCallbacks(queue.dialect().get()));
    this.cancelInner = Statement.lazily(() -> BatchTable.cancelInner(queue.dialect().get()));
    this.uncancelled = Statement.lazily(() -> BatchTable.uncancelled(queue.dialect().get()));
    this.prune = Statement.lazily(() -> BatchTable.prune(queue.dialect().get()));
  }

  @Override
  public Checked check(Collection<Long> owners) {
    List<Found> found = find(owners);
    return act(found, !found.isEmpty(), false);
  }

  private List<Found> find(Collection<Long> batches) {
    return batches.isEmpty() ? List.of() : transactions.runInOneRoundTrip(named, batches);
  }

  @Override
  public Checked sweep() {
    long from = after;
    List<Found> found = transactions.runInOneRoundTrip(next, new Page(from, BATCHES_OF_A_SWEEP));
    boolean isFull = found.size() == BATCHES_OF_A_SWEEP;
    after = isFull ? found.get(found.size() - 1).id() : 0;
    pruneIfDue();
    return act(found, !found.isEmpty() || from > 0, isFull);
  }

  /** Deletes old batches, a limited number in each sweep. */
  private void pruneIfDue() {
    long due = pruneAt.get();
    long now = System.nanoTime();
    if (now - due >= 0 && pruneAt.compareAndSet(due, now + PRUNE_INTERVAL)) {
      int pruned = transactions.run(prune, KEPT).get(0);
      if (pruned > 0) {
        pruneAt.set(now); // more may be left
      }
    }
  }

  private Checked act(List<Found> found, boolean isOpen, boolean isFull) {
    List<WakeUp> due = new ArrayList<>();
    Set<Long> cancelled = new TreeSet<>(settle(found, due));
    found.stream().filter(Found::isCancelled).map(Found::id).forEach(cancelled::add);
    boolean unfinished = isFull;
    if (!cancelled.isEmpty()) {
      unfinished |= cancelRest(cancelled);
      Set<Long> unused = settle(find(cancelled), due); // the last job may have been cancelled
    }
    return new Checked(due, isOpen, unfinished);
  }

  /**
   * Settles the batches that are ready, and then the batches that contain them.
   *
   * @param due receives wake-ups for jobs that are due
   * @return the batches whose remaining jobs must now be cancelled
   */
  private Set<Long> settle(List<Found> found, List<WakeUp> due) {
    Set<Long> cancelled = new TreeSet<>();
    List<Long> ready = ready(found);
    while (!ready.isEmpty()) {
      Set<Long> outer = new TreeSet<>();
      for (List<Long> chunk : Chunks.of(ready, SETTLED_TOGETHER, batch -> 0)) {
        for (Settled settled : settleIsolated(chunk, due)) {
          if (settled.isCancelled()) {
            cancelled.add(settled.id());
          }
          if (settled.isFinished() && settled.owner() != null) {
            outer.add(settled.owner());
          }
        }
      }
      ready = ready(find(outer));
    }
    return cancelled;
  }

  private static List<Long> ready(List<Found> found) {
    return found.stream().filter(Found::isReady).map(Found::id).toList();
  }

  /** Settles batches together or, if the database rejects that, one by one. */
  private List<Settled> settleIsolated(List<Long> batches, List<WakeUp> due) {
    try {
      return settleTogether(batches, due);
    } catch (StoreException failure) {
      if (isUnavailable(failure)) {
        throw failure;
      }
      if (batches.size() > 1) {
        List<Settled> settled = new ArrayList<>();
        batches.forEach(batch -> settled.addAll(settleIsolated(List.of(batch), due)));
        return settled;
      }
      long batch = batches.get(0);
      if (failed.size() < MOST_FAILED && failed.add(batch)) {
        LOG.warn(
            "Batch not finished, left to the next sweep batch={} error={}",
            batch,
            failure.getMessage());
      }
      return List.of();
    }
  }

  private static boolean isUnavailable(StoreException failure) {
    String state = failure.sqlState().orElse("08");
    return failure.isOutcomeUnknown() || state.startsWith("08") || state.startsWith("57P");
  }

  private List<Settled> settleTogether(List<Long> batches, List<WakeUp> due) {
    List<NewJob> jobs = new ArrayList<>();
    List<EnqueueResult> results = new ArrayList<>();
    List<Settled> settled =
        transactions
            .impatient() // a batch that contains one of these may be locked
            .inOne(
                session -> {
                  List<Settled> changed = session.run(settle, batches);
                  jobs.addAll(callbacks(session, changed));
                  results.addAll(jobs.isEmpty() ? List.of() : writer.write(session, jobs));
                  return changed;
                });
    List<WakeUp> resumed = new ArrayList<>();
    for (Settled each : settled) {
      failed.remove(each.id());
      if (each.resumed() != null) {
        resumed.add(each.resumed());
      }
    }
    if (!jobs.isEmpty()) {
      waker.wakeCommitted(jobs, results);
    }
    if (!resumed.isEmpty()) {
      waker.wakeCommitted(resumed);
    }
    due.addAll(resumed);
    jobs.forEach(job -> due.add(new WakeUp(new Lane(job.queue(), 0), job.kind())));
    return settled;
  }

  /**
   * Returns the callbacks to enqueue. Those of a batch in a batch belong to the outer batch, which
   * therefore finishes after them.
   */
  private List<NewJob> callbacks(Session session, List<Settled> settled) throws SQLException {
    List<NewJob> jobs = new ArrayList<>();
    for (Settled each : settled) {
      Long owner = each.owner();
      boolean isInBatch =
          owner != null
              && !each.callbacks().isEmpty()
              && !session
                  .run(growByCallbacks, new Growth(owner, each.callbacks().size()))
                  .isEmpty();
      each.callbacks().forEach(callback -> jobs.add(callback.job(isInBatch ? owner : null)));
    }
    return jobs;
  }

  /**
   * Cancels the jobs of cancelled batches.
   *
   * @param batches the batches, to which the batches in them are added
   * @return whether some jobs are left because it took long
   */
  private boolean cancelRest(Set<Long> batches) {
    long deadline = System.nanoTime() + LONGEST_CANCEL;
    boolean unfinished = false;
    Deque<Long> left = new ArrayDeque<>(batches);
    while (!left.isEmpty()) {
      long batch = left.remove();
      List<Long> inner = transactions.run(cancelInner, batch);
      batches.addAll(inner);
      left.addAll(inner);
      unfinished |= cancelJobs(batch, deadline);
    }
    return unfinished;
  }

  private boolean cancelJobs(long batch, long deadline) {
    while (true) {
      List<JobId> jobs = transactions.run(uncancelled, new JobsOf(batch, CANCELLED_TOGETHER));
      if (jobs.isEmpty()) {
        return false;
      }
      boolean changed = false;
      for (CancelResult result : cancel.cancel(jobs)) {
        changed |= result == CancelResult.CANCELLED || result == CancelResult.REQUESTED;
      }
      if (!changed) {
        return false; // other transactions have locked them; the next sweep cancels them
      }
      if (System.nanoTime() - deadline > 0) {
        return true;
      }
    }
  }
}
