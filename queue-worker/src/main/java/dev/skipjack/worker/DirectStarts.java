package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.LocalWorker;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Provides free slots to enqueues of this process, and runs the jobs that these enqueues have
 * inserted as running. Such a job is then handled like one that a claim returned.
 *
 * <p>Invariant: a slot that was taken counts against its queue until the attempt that replaces it
 * is registered, the enqueue or its transaction has returned it, or one of them hangs. A stop waits
 * for slots that are taken, because their jobs may already be in the database.
 */
final class DirectStarts implements LocalWorker {

  /**
   * The maximum time for which a slot is kept for a caller's transaction, unless a quarter of the
   * lease is shorter. The lease begins with the insert.
   */
  private static final Duration LONGEST_TRANSACTION = Duration.ofSeconds(1);

  private final WorkerId worker;
  private final Duration lease;
  private final long longestTransaction;
  private final Map<String, ServedQueue> queues;
  private final Set<String> kinds;
  private final Consumer<List<Attempt>> accept;
  private final Supplier<ExecutionId> latest;
  private final Consumer<ExecutionId> lost;
  private final HeardLanes heard;
  private final Reporter reporter;
  private @Nullable LocalWorkers open;
  private final Set<Slot> taken = new HashSet<>();
  private boolean closed;

  /**
   * @param accept receives an attempt and starts it, unless it was given up
   * @param latest returns the latest execution that the worker knows
   * @param lost makes the worker search for jobs that it holds after the given execution. Does not
   *     block
   */
  DirectStarts(
      WorkerId worker,
      Duration lease,
      Map<String, ServedQueue> queues,
      Set<String> kinds,
      Consumer<List<Attempt>> accept,
      Supplier<ExecutionId> latest,
      Consumer<ExecutionId> lost,
      HeardLanes heard,
      Reporter reporter) {
    this.worker = worker;
    this.lease = lease;
    this.longestTransaction = Math.min(LONGEST_TRANSACTION.toNanos(), lease.toNanos() / 4);
    this.queues = Map.copyOf(queues);
    this.kinds = Set.copyOf(kinds);
    this.accept = accept;
    this.latest = latest;
    this.lost = lost;
    this.heard = heard;
    this.reporter = reporter;
  }

  @Override
  public boolean hasSlot(NewJob job) {
    ServedQueue queue = queues.get(job.queue());
    return queue != null && kinds.contains(job.kind()) && queue.hasSlot();
  }

  @Override
  public @Nullable TakenSlot take(NewJob job) {
    return take(job, false);
  }

  @Override
  public @Nullable TakenSlot takeInTransaction(NewJob job) {
    return take(job, true);
  }

  private @Nullable Slot take(NewJob job, boolean inTransaction) {
    ServedQueue queue = queues.get(job.queue());
    if (queue == null || !kinds.contains(job.kind())) {
      return null;
    }
    synchronized (this) {
      int spare = closed ? -1 : inTransaction ? queue.keepSlotInTransaction() : queue.keepSlot();
      if (spare < 0) {
        return null;
      }
      Slot slot = new Slot(queue, spare, inTransaction);
      taken.add(slot);
      return slot;
    }
  }

  @Override
  public void expect(WakeUp wakeUp) {
    if (wakeUp.orderingKey() == null) {
      heard.addBeforeNotification(wakeUp, queues.keySet(), kinds);
    }
  }

  /** Begins to provide slots, unless this was closed before. May take a while. */
  void open(LocalWorkers workers) {
    try {
      workers.prepare();
      synchronized (this) {
        if (!closed) {
          workers.add(this);
          open = workers;
        }
      }
    } catch (Throwable thrown) {
      LOG.warn("Jobs do not start directly, but are claimed, because preparing it failed", thrown);
    }
  }

  /** Stops providing slots. */
  synchronized void close() {
    closed = true;
    if (open != null) {
      open.remove(this);
    }
  }

  /** Waits until {@code deadline} (a nanoTime) for taken slots. Returns whether none is left. */
  synchronized boolean awaitNone(long deadline) throws InterruptedException {
    while (!taken.isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
    }
    return true;
  }

  /**
   * Frees the slots that were taken more than the given nanoseconds ago, because their enqueues
   * hang, and those that are no longer kept for a transaction. If such an enqueue returns later,
   * its job waits like one that was prefetched.
   */
  void takeBack(long patience) {
    long now = System.nanoTime();
    List<Slot> old;
    synchronized (this) {
      old =
          taken.stream()
              .filter(slot -> now - slot.takenAt >= Math.min(patience, slot.longest()))
              .toList();
    }
    old.forEach(this::giveBack);
  }

  private void giveBack(Slot slot) {
    synchronized (this) {
      if (!taken.remove(slot)) {
        return;
      }
      if (taken.isEmpty()) {
        notifyAll();
      }
    }
    if (slot.inTransaction) {
      slot.queue.keptSlotOfTransactionReturned(
          System.nanoTime() - slot.takenAt >= longestTransaction);
    } else {
      slot.queue.keptSlotReturned();
    }
  }

  private synchronized boolean isKept(Slot slot) {
    return !closed && taken.contains(slot) && System.nanoTime() - slot.takenAt < longestTransaction;
  }

  private final class Slot implements TakenSlot {

    private final ServedQueue queue;
    private final int spare;
    private final boolean inTransaction;
    private final long takenAt = System.nanoTime(); // before the statement that begins the lease
    private final ExecutionId latestBefore = latest.get();
    private final AtomicBoolean used = new AtomicBoolean();

    Slot(ServedQueue queue, int spare, boolean inTransaction) {
      this.queue = queue;
      this.spare = spare;
      this.inTransaction = inTransaction;
    }

    long longest() {
      return inTransaction ? longestTransaction : Long.MAX_VALUE;
    }

    @Override
    public WorkerId worker() {
      return worker;
    }

    @Override
    public Duration lease() {
      return lease;
    }

    @Override
    public int spare() {
      return spare;
    }

    @Override
    public int spareNow() {
      return queue.slotsBesideKept();
    }

    @Override
    public boolean isKept() {
      return DirectStarts.this.isKept(this);
    }

    @Override
    public void start(ClaimedJob job) {
      if (!used.compareAndSet(false, true)) {
        return;
      }
      try {
        accept.accept(List.of(new Attempt(job, queue, lease, takenAt).direct()));
      } catch (Throwable thrown) {
        reporter.notEnded(thrown); // the job is committed, so its enqueue has not failed
      } finally {
        giveBack(this);
      }
    }

    @Override
    public void free(boolean jobsAhead) {
      if (!used.compareAndSet(false, true)) {
        return;
      }
      if (jobsAhead) {
        queue.jobsAhead(true);
      }
      giveBack(this);
    }

    @Override
    public void lost() {
      if (used.compareAndSet(false, true)) {
        lost.accept(latestBefore);
        giveBack(this);
      }
    }
  }
}
