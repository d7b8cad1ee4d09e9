package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.LocalWorker;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives free slots to enqueues of this process, and runs the jobs that they have inserted as
 * running. Such a job takes the same way as one that a claim returned; only the claim is missing.
 *
 * <p>Invariant: a slot that was taken counts against its queue until the attempt that replaces it
 * is registered, or the enqueue has given it back. A stop waits for slots that are taken, because
 * their jobs may already be in the database.
 */
final class DirectStarts implements LocalWorker {

  private final WorkerId worker;
  private final Duration lease;
  private final Map<String, ServedQueue> queues;
  private final Set<String> kinds;
  private final Consumer<List<Attempt>> accept;
  private final HeardLanes heard;
  private final Reporter reporter;
  private int taken;
  private boolean closed;

  /**
   * @param accept receives an attempt and starts it
   */
  DirectStarts(
      WorkerId worker,
      Duration lease,
      Map<String, ServedQueue> queues,
      Set<String> kinds,
      Consumer<List<Attempt>> accept,
      HeardLanes heard,
      Reporter reporter) {
    this.worker = worker;
    this.lease = lease;
    this.queues = Map.copyOf(queues);
    this.kinds = Set.copyOf(kinds);
    this.accept = accept;
    this.heard = heard;
    this.reporter = reporter;
  }

  @Override
  public @Nullable TakenSlot take(NewJob job) {
    ServedQueue queue = queues.get(job.queue());
    if (queue == null || !kinds.contains(job.kind())) {
      return null;
    }
    int spare;
    synchronized (this) {
      spare = closed ? -1 : queue.keepSlot();
      if (spare < 0) {
        return null;
      }
      taken++;
    }
    return new Slot(queue, spare);
  }

  @Override
  public void expect(WakeUp wakeUp) {
    if (wakeUp.orderingKey() == null) {
      heard.addBeforeNotification(wakeUp, queues.keySet(), kinds);
    }
  }

  /** Gives no more slots. */
  synchronized void close() {
    closed = true;
  }

  /** Waits until {@code deadline} (a nanoTime) for taken slots. Returns whether none is left. */
  synchronized boolean awaitNone(long deadline) throws InterruptedException {
    while (taken > 0) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
    }
    return true;
  }

  private synchronized void returned() {
    taken--;
    if (taken == 0) {
      notifyAll();
    }
  }

  private final class Slot implements TakenSlot {

    private final ServedQueue queue;
    private final int spare;
    private final long takenAt = System.nanoTime(); // before the statement that begins the lease
    private final AtomicBoolean used = new AtomicBoolean();

    Slot(ServedQueue queue, int spare) {
      this.queue = queue;
      this.spare = spare;
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
    public void start(ClaimedJob job) {
      if (!used.compareAndSet(false, true)) {
        return;
      }
      try {
        accept.accept(List.of(new Attempt(job, queue, lease, takenAt).direct()));
      } catch (Throwable thrown) {
        reporter.notEnded(thrown); // the job is committed, so its enqueue has not failed
      } finally {
        queue.keptSlotReturned();
        returned();
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
      queue.keptSlotReturned();
      returned();
    }
  }
}
