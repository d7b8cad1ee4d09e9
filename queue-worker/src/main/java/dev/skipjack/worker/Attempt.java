package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Progress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One claimed job on its way through the worker: buffered, running, ended.
 *
 * <p>Whoever wants to end it early (heartbeat, timer, shutdown) and the handler's thread that ends
 * it meet here under one lock, so that an interrupt reaches the handler it was meant for or nobody:
 * never the next job of the thread.
 */
final class Attempt {

  /** Why an attempt is to end before its handler says so. */
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

  /** Chains of causes can be circular. */
  private static final int MOST_CAUSES = 50;

  private final ClaimedJob job;
  private final ServedQueue queue;
  private final AttemptInfo info;
  private volatile long lease;

  private Phase phase = Phase.BUFFERED;
  private Stop stop = Stop.NONE;
  private @Nullable Throwable unread;
  private @Nullable Thread thread;
  private @Nullable Runnable abort;
  private boolean interrupted;
  private boolean begun;
  private boolean stuck;
  private volatile long begunAt;
  private long stoppedAt;

  private final AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
  private volatile long renewedAt;
  private volatile boolean spared;

  /** Counts the beginnings and ends of usual renewals: odd while one is under way. */
  private int renewals;

  private volatile boolean changedWhileRunning;
  private volatile boolean snapshotTooOld;
  private volatile boolean unwritten;
  private volatile boolean renewable = true;
  private volatile boolean leaseLost;
  private volatile boolean cancelled;
  private volatile boolean completionWritten;
  private volatile boolean completionSeen;
  private volatile @Nullable Throwable completionPostponed;

  /**
   * @param claimedAt nanoTime before the claim was sent, so that the lease is never believed longer
   *     than it is
   */
  Attempt(ClaimedJob job, ServedQueue queue, Duration lease, long claimedAt) {
    this.job = job;
    this.queue = queue;
    this.lease = lease.toNanos();
    this.renewedAt = claimedAt;
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
    return job.execution();
  }

  ServedQueue queue() {
    return queue;
  }

  AttemptInfo info() {
    return info;
  }

  /** What it needs of the {@link PayloadBudget}. */
  long weight() {
    return PayloadBudget.weightOf(job.payload().length());
  }

  /** Notes that it was claimed without its payload, because of this. Called before it is shared. */
  Attempt unread(Throwable why) {
    unread = why;
    return this;
  }

  /** Why it has no payload; null: it has. */
  @Nullable Throwable unread() {
    return unread;
  }

  /** Binds the calling thread; false if the attempt was ended while it was buffered. */
  boolean begin() {
    return begin(System.nanoTime());
  }

  /**
   * As {@link #begin()}.
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

  /** NanoTime at which its handler was called. */
  long begunAt() {
    return begunAt;
  }

  /** Whether its handler was called, or was about to be. */
  synchronized boolean hasBegun() {
    return begun;
  }

  /**
   * Unbinds the calling thread from a handler that answers later.
   *
   * @param abort ends what the handler began, without waiting; called at once if the attempt is to
   *     end already
   */
  void detach(Runnable abort) {
    boolean over;
    synchronized (this) {
      clearInterrupt();
      thread = null;
      this.abort = abort;
      over = stop != Stop.NONE;
    }
    if (over) {
      abort.run();
    }
  }

  /**
   * Unbinds the calling thread, which no interrupt of this attempt reaches afterwards; one that did
   * before is cleared. An interrupt from elsewhere is left to the thread's owner.
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
   * Ends it because its time is over, also one that somebody wants cancelled and that did not
   * listen.
   *
   * @return whether the handler ran and was told to end
   */
  boolean timeOut() {
    Runnable tell;
    synchronized (this) {
      if (phase != Phase.RUNNING || (stop != Stop.NONE && stop != Stop.CANCELLED)) {
        return false;
      }
      stop = Stop.TIMED_OUT;
      stopRenewing();
      tell = interrupt();
    }
    tell.run();
    return true;
  }

  /**
   * Interrupts the handler because somebody wants the job cancelled. The lease is renewed on: what
   * the handler makes of it decides the ending.
   *
   * @return whether the handler ran and was interrupted
   */
  boolean cancel() {
    Runnable tell;
    synchronized (this) {
      if (phase != Phase.RUNNING || stop != Stop.NONE) {
        return false;
      }
      stop = Stop.CANCELLED;
      cancelled = true;
      tell = interrupt();
    }
    tell.run();
    return true;
  }

  /**
   * Ends it if its handler was not called yet, which it then never is.
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

  /** Answers whether this call found it out; an attempt that has ended hears it from its write. */
  boolean lose() {
    Runnable tell;
    synchronized (this) {
      if (phase == Phase.ENDED || stop == Stop.LOST) {
        return false;
      }
      stop = Stop.LOST;
      leaseLost = true;
      stopRenewing();
      tell = interrupt();
      if (phase == Phase.BUFFERED) {
        phase = Phase.ENDED;
      }
    }
    tell.run();
    return true;
  }

  /**
   * Ends it for the shutdown, whatever its handler may still do.
   *
   * @return what it was to be stopped for until now; null if it had ended
   */
  @Nullable Stop release() {
    Stop before;
    Runnable tell;
    synchronized (this) {
      if (phase == Phase.ENDED) {
        return null;
      }
      before = stop;
      stop = Stop.RELEASED;
      leaseLost = true;
      tell = interrupt();
      phase = Phase.ENDED;
    }
    tell.run();
    return before;
  }

  synchronized boolean isBuffered() {
    return phase == Phase.BUFFERED;
  }

  synchronized boolean isRunning() {
    return phase == Phase.RUNNING;
  }

  /** Whether its handler goes on though it was told to end long ago; true once. */
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
   * Interrupts the handler's thread under the lock, so that it is the handler's still.
   *
   * @return what is to be run without the lock: it reaches code of the user's
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

  /** Notes a renewal that was sent at this nanoTime and granted. */
  void renewed(long sentAt) {
    renewedAt = sentAt;
    if (isRunning()) {
      changedWhileRunning = true;
    }
  }

  /**
   * Notes that a renewal with the usual lease is about to be sent.
   *
   * @return false if the attempt has been spared, and must not get the usual lease any more
   */
  synchronized boolean beginRenewal() {
    if (spared) {
      return false;
    }
    if (!isRenewalUnderWay()) {
      renewals++;
    }
    return true;
  }

  /**
   * Notes that a renewal was answered. One that failed stays under way until the next is answered,
   * because the server may yet execute it.
   */
  synchronized void endRenewal() {
    if (isRenewalUnderWay()) {
      renewals++;
    }
  }

  private boolean isRenewalUnderWay() {
    return (renewals & 1) == 1;
  }

  /** Changes whenever a usual renewal begins or ends; see {@link #spare}. */
  synchronized int renewals() {
    return renewals;
  }

  /**
   * Notes that its lease has this length from {@code sentAt} on, and must be renewed after half.
   * Refused if a usual renewal was under way meanwhile: the server may have executed it last, and
   * then the lease is short.
   *
   * @param before {@link #renewals()} before the long lease was sent
   * @return whether the lease is known to be long
   */
  synchronized boolean spare(Duration granted, long sentAt, int before) {
    if (renewals != before || isRenewalUnderWay()) {
      return false;
    }
    lease = granted.toNanos();
    renewedAt = sentAt;
    spared = true;
    return true;
  }

  /** Whether its row is left alone for as long as its lease allows. */
  boolean isSpared() {
    return spared;
  }

  Duration lease() {
    return Duration.ofNanos(lease);
  }

  /** Whether its lease is to be renewed now. */
  boolean isDue(long now, long usualInterval) {
    return renewable && now - renewedAt >= (spared ? lease / 2 : usualInterval);
  }

  /** Notes that the handler's transaction could not see the row as it is now (40001). */
  void snapshotTooOld() {
    snapshotTooOld = true;
  }

  /** Whether its handler failed to complete because this worker changed its row meanwhile. */
  boolean failedByRenewal() {
    return snapshotTooOld && changedWhileRunning;
  }

  /** How long its handler has been running. */
  Duration ran() {
    return Duration.ofNanos(System.nanoTime() - begunAt);
  }

  long renewedAt() {
    return renewedAt;
  }

  /** Notes that its ending waits to be written. */
  void unwritten() {
    unwritten = true;
    queue.ended();
  }

  boolean isUnwritten() {
    return unwritten;
  }

  /** Lets the lease run out. */
  void stopRenewing() {
    renewable = false;
  }

  /** Whether nobody can have rescued the job yet. */
  boolean holdsLease() {
    return System.nanoTime() - renewedAt < lease;
  }

  boolean isCancelled() {
    return cancelled;
  }

  boolean isLeaseLost() {
    return leaseLost;
  }

  boolean isRenewable() {
    return renewable;
  }

  /** Notes what the handler says of itself; only the latest word is kept. */
  void progress(int percent, @Nullable String message) {
    progress.set(new Progress(job.execution(), percent, message));
  }

  /** What is to be written of it; null: nothing new. */
  @Nullable Progress latestProgress() {
    return progress.get();
  }

  /** Notes that it is written, unless there is news. */
  void progressWritten(Progress written) {
    progress.compareAndSet(written, null);
    changedWhileRunning = true;
  }

  /** Notes that the handler's transaction holds a completion, which it may yet roll back. */
  void completionWritten() {
    completionWritten = true;
  }

  boolean isCompletionWritten() {
    return completionWritten;
  }

  /** Notes that a completion was refused with this exception and may work in another attempt. */
  void completionPostponed(Throwable refused) {
    completionPostponed = refused;
  }

  /**
   * Whether a handler that threw this failed because its completion was postponed. A handler that
   * caught that exception and then failed for another reason did not.
   */
  boolean failedByPostponement(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < MOST_CAUSES; depth++) {
      if (cause == completionPostponed) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /**
   * Notes that the job was found gone: within the lease only its own completion can do that, and
   * afterwards the audit says whether it did.
   */
  void foundGone() {
    if (completedByHandler()) {
      completionSeen = true;
    }
    stopRenewing();
  }

  /** Whether the job, being gone, was completed by its handler. */
  boolean completedByHandler() {
    return completionSeen || (completionWritten && holdsLease());
  }
}
