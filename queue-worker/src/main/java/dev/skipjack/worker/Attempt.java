package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Suspension;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job in this worker. It is buffered until its handler is called, then running, and
 * finally ended.
 *
 * <p>The thread in which the handler or its stage finishes ends the attempt. A timeout, a
 * cancellation or a lost lease only interrupts a running handler, but a release ends the attempt
 * immediately. A lock guards the phase, so that an interrupt reaches only the intended handler and
 * never the next job on the same thread.
 */
final class Attempt {

  /** Why the worker interrupted a handler or ended an attempt early. */
  enum Stop {
    NONE,
    TIMED_OUT,
    CANCELLED,
    LOST,
    RELEASED
  }

  private enum Phase {
    BUFFERED,
    RUNNING,
    ENDED
  }

  private final ClaimedJob job;
  private volatile Execution execution;
  private final ServedQueue queue;
  private final AttemptInfo info;
  private final AttemptLease lease;
  private final HandlerCompletion completion;

  private Phase phase = Phase.BUFFERED;
  private Stop stop = Stop.NONE;
  private @Nullable Throwable unread;
  private boolean direct;
  private @Nullable Thread thread;
  private @Nullable Runnable abort;
  private boolean interrupted;
  private boolean begun;
  private boolean stuck;
  private volatile long begunAt;
  private long stoppedAt;

  private final AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
  private volatile boolean changedWhileRunning;
  private volatile boolean snapshotTooOld;
  private volatile boolean unwritten;
  private volatile boolean leaseLost;
  private volatile boolean cancelled;
  private volatile @Nullable Suspension suspension;

  private @Nullable Long followingSince;
  private volatile @Nullable Attempt next;

  /**
   * @param claimedAt nanoTime before the claim was sent
   */
  Attempt(ClaimedJob job, ServedQueue queue, Duration lease, long claimedAt) {
    this.job = job;
    this.execution = job.execution();
    this.queue = queue;
    this.lease = new AttemptLease(lease, claimedAt);
    this.completion = new HandlerCompletion(this.lease);
    this.info =
        new AttemptInfo(
            job.execution().jobId(),
            job.execution().id(),
            job.queue(),
            job.kind(),
            job.attempt(),
            job.maxAttempts());
  }

  ClaimedJob job() {
    return job;
  }

  Execution execution() {
    return execution;
  }

  /** Records that the job has durable steps, which its end must end too. */
  void markSteps() {
    execution = job.execution().withSteps();
  }

  /** Records that the handler suspends the job, whatever it returns or throws. */
  void suspend(Suspension reason) {
    suspension = reason;
  }

  /** Returns for what the handler suspended the job, or null if it did not. */
  @Nullable Suspension suspension() {
    return suspension;
  }

  AttemptLease lease() {
    return lease;
  }

  HandlerCompletion completion() {
    return completion;
  }

  ServedQueue queue() {
    return queue;
  }

  AttemptInfo info() {
    return info;
  }

  /**
   * Adds the attempt of the next job of the ordering key, which was claimed in the transaction that
   * completed this one. The thread of this attempt runs it.
   */
  void handOver(Attempt following) {
    following.followingSince = followingSince();
    next = following;
  }

  /** Returns whether {@link #handOver} was called, and the attempt was not taken yet. */
  boolean hasHandedOver() {
    return next != null;
  }

  /** Removes and returns the attempt that was given to {@link #handOver}, or null. */
  @Nullable Attempt takeHandedOver() {
    Attempt taken = next;
    next = null; // otherwise attempts that follow each other would keep each other in memory
    return taken;
  }

  /** Returns the nanoTime at which the first job of a series of hand-overs began. */
  long followingSince() {
    Long first = followingSince;
    return first == null ? begunAt : first;
  }

  /** Returns how much of the {@link PayloadBudget} the attempt uses. */
  long weight() {
    return PayloadBudget.weightOf(job.payload().length());
  }

  /**
   * Records why the job was claimed without its payload. Must be called before the attempt is
   * passed to other threads.
   */
  Attempt unread(Throwable why) {
    unread = why;
    return this;
  }

  /** Returns why the job was claimed without its payload, or null if it has one. */
  @Nullable Throwable unread() {
    return unread;
  }

  /**
   * Records that the enqueue of the job has begun the attempt. Must be called before the attempt is
   * passed to other threads.
   */
  Attempt direct() {
    direct = true;
    return this;
  }

  /** Returns whether the enqueue of the job, and not a claim, has begun the attempt. */
  boolean isDirect() {
    return direct;
  }

  /**
   * Begins the attempt in the calling thread. Returns false if the attempt ended while it was
   * buffered.
   */
  boolean begin() {
    return begin(System.nanoTime());
  }

  /**
   * Begins the attempt as {@link #begin()} does.
   *
   * @param now nanoTime
   */
  synchronized boolean begin(long now) {
    if (phase != Phase.BUFFERED) {
      return false;
    }
    phase = Phase.RUNNING;
    begun = true;
    begunAt = now;
    thread = Thread.currentThread();
    return true;
  }

  /** Returns the nanoTime at which the attempt began. */
  long begunAt() {
    return begunAt;
  }

  /** Returns whether the handler was called or is about to be called. */
  synchronized boolean hasBegun() {
    return begun;
  }

  /**
   * Releases the calling thread, because the handler returned a stage.
   *
   * @param abort cancels the stage without waiting; called immediately if the attempt must already
   *     end
   */
  void detach(Runnable abort) {
    boolean mustEnd;
    synchronized (this) {
      clearInterrupt();
      thread = null;
      this.abort = abort;
      mustEnd = stop != Stop.NONE;
    }
    if (mustEnd) {
      abort.run();
    }
  }

  /**
   * Ends the attempt and releases the calling thread. Afterwards this attempt no longer interrupts
   * the thread, and an interrupt that it sent earlier is cleared. Interrupts from other sources are
   * not cleared.
   *
   * @return the reason why the attempt had to end early; {@link Stop#NONE} if it did not
   */
  synchronized Stop finish() {
    phase = Phase.ENDED;
    clearInterrupt();
    thread = null;
    abort = null;
    return stop;
  }

  private void clearInterrupt() {
    if (interrupted && thread == Thread.currentThread()) {
      Thread.interrupted();
      interrupted = false;
    }
  }

  /**
   * Interrupts the handler because its timeout has passed, even if it ignored an earlier
   * cancellation.
   *
   * @return whether the handler was running and has been interrupted
   */
  boolean timeOut() {
    Runnable signal;
    synchronized (this) {
      if (phase != Phase.RUNNING || (stop != Stop.NONE && stop != Stop.CANCELLED)) {
        return false;
      }
      stop = Stop.TIMED_OUT;
      lease.stopRenewing();
      signal = interrupt();
    }
    signal.run();
    return true;
  }

  /**
   * Interrupts the handler because an operator has cancelled the job. The lease is still renewed,
   * because the handler's result decides how the attempt ends.
   *
   * @return whether the handler was running and has been interrupted
   */
  boolean cancel() {
    Runnable signal;
    synchronized (this) {
      if (phase != Phase.RUNNING || stop != Stop.NONE) {
        return false;
      }
      stop = Stop.CANCELLED;
      cancelled = true;
      signal = interrupt();
    }
    signal.run();
    return true;
  }

  /**
   * Ends the attempt if its handler has not been called yet. The handler is then never called.
   *
   * @return whether this call ended it
   */
  synchronized boolean withdraw() {
    if (phase != Phase.BUFFERED) {
      return false;
    }
    phase = Phase.ENDED;
    stop = Stop.RELEASED;
    leaseLost = true;
    return true;
  }

  /**
   * Records that the lease is lost. Interrupts a running handler, and ends a buffered attempt.
   *
   * @return whether this call was the first to record the loss; false if the attempt has already
   *     ended
   */
  boolean lose() {
    Runnable signal;
    synchronized (this) {
      if (phase == Phase.ENDED || stop == Stop.LOST) {
        return false;
      }
      stop = Stop.LOST;
      leaseLost = true;
      lease.stopRenewing();
      signal = interrupt();
      if (phase == Phase.BUFFERED) {
        phase = Phase.ENDED;
      }
    }
    signal.run();
    return true;
  }

  /**
   * Ends the attempt so that its job can be released, even if its handler is still running.
   *
   * @return the stop reason before this call; null if the attempt had already ended
   */
  @Nullable Stop release() {
    Stop before;
    Runnable signal;
    synchronized (this) {
      if (phase == Phase.ENDED) {
        return null;
      }
      before = stop;
      stop = Stop.RELEASED;
      leaseLost = true;
      signal = interrupt();
      phase = Phase.ENDED;
    }
    signal.run();
    return before;
  }

  synchronized boolean isBuffered() {
    return phase == Phase.BUFFERED;
  }

  synchronized boolean isRunning() {
    return phase == Phase.RUNNING;
  }

  /**
   * Returns whether the handler is still running the given nanoseconds after it was interrupted
   * because of a timeout or a lost lease. Returns true only once.
   */
  synchronized boolean becameStuck(long grace) {
    if (stuck || phase != Phase.RUNNING || thread == null) {
      return false;
    }
    stuck = (stop == Stop.TIMED_OUT || stop == Stop.LOST) && System.nanoTime() - stoppedAt >= grace;
    return stuck;
  }

  synchronized boolean isStuck() {
    return stuck && phase == Phase.RUNNING;
  }

  /**
   * Interrupts the handler's thread, if it has one. The caller holds the lock, so that thread still
   * runs this handler.
   *
   * @return an action that cancels the stage, if there is one. It must run without the lock,
   *     because it may call the user's code
   */
  private Runnable interrupt() {
    stoppedAt = System.nanoTime();
    if (abort != null) {
      return abort;
    }
    if (thread != null && thread != Thread.currentThread()) {
      interrupted = true;
      thread.interrupt();
    }
    return () -> {};
  }

  /** Records that a renewal sent at this nanoTime was granted. */
  void renewed(long sentAt) {
    lease.renewed(sentAt);
    if (isRunning()) {
      changedWhileRunning = true;
    }
  }

  /**
   * Records that the handler's transaction failed because its snapshot does not contain the current
   * version of the job's row (40001).
   */
  void snapshotTooOld() {
    snapshotTooOld = true;
  }

  /**
   * Returns whether the handler failed to complete the job because this worker had changed the
   * job's row.
   */
  boolean failedByRenewal() {
    return snapshotTooOld && changedWhileRunning;
  }

  /** Returns how long ago the attempt began. */
  Duration ran() {
    return Duration.ofNanos(System.nanoTime() - begunAt);
  }

  /** Records that the ending has not been written yet. */
  void unwritten() {
    unwritten = true;
    queue.ended();
  }

  boolean isUnwritten() {
    return unwritten;
  }

  boolean isCancelled() {
    return cancelled;
  }

  boolean isLeaseLost() {
    return leaseLost;
  }

  /** Keeps the latest progress that the handler reported. */
  void progress(int percent, @Nullable String message) {
    progress.set(new Progress(job.execution(), percent, message));
  }

  /** Returns the latest progress that is not written yet, or null if there is none. */
  @Nullable Progress latestProgress() {
    return progress.get();
  }

  /** Records that this progress was written, unless the handler has reported again since. */
  void progressWritten(Progress written) {
    progress.compareAndSet(written, null);
    changedWhileRunning = true;
  }
}
