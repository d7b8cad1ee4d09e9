package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.spi.UnknownClaimException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Collects endings for a moment, so that one statement can write many of them, and keeps each
 * ending until it has been written or its job is lost.
 *
 * <p>An ending that arrives after the last run is still written, but only tried once. An example is
 * the release of a job whose claim or direct start has returned after the worker was stopped.
 */
final class OutcomeFlusher implements Loop.Step {

  /**
   * How long after the last write the endings of directly started attempts are collected.
   * Otherwise, each outcome in a stream of direct starts would cost one transaction.
   */
  private static final long COLLECT = Duration.ofMillis(10).toNanos();

  private static final long NOTHING_TO_DO = Duration.ofMinutes(1).toNanos();

  private final OutcomeWriter writer;
  private final RunningJobs running;
  private final Wakeup wakeup;
  private final long flushInterval;
  private final Queue<UnwrittenEnding> inbox = new ConcurrentLinkedQueue<>();
  private final Queue<UnknownClaimException> lost = new ConcurrentLinkedQueue<>();
  private final AtomicInteger arrived = new AtomicInteger();
  private boolean asked;

  /** Whether the flusher's thread has ended, so that the thread of a late ending writes it. */
  private volatile boolean ended;

  /** The nanoTime until which endings are collected, if all of them are of direct starts. */
  private volatile long collectUntil = System.nanoTime();

  private volatile boolean onlyDirect = true;

  /** Used by the flusher's thread and, after its end, by one thread at a time. */
  private final List<UnwrittenEnding> pending = new ArrayList<>();

  OutcomeFlusher(OutcomeWriter writer, RunningJobs running, Wakeup wakeup, Duration flushInterval) {
    this.writer = writer;
    this.running = running;
    this.wakeup = wakeup;
    this.flushInterval = flushInterval.toNanos();
  }

  /**
   * Accepts an ending from any thread. Does not block unless the flusher has ended: if endings
   * accumulate, the claim loop claims fewer jobs.
   */
  void offer(Attempt attempt, Ending ending) {
    offer(new UnwrittenEnding(attempt, ending));
  }

  /** Accepts an ending whose first write, with a hand-over, has failed. */
  void offerAgain(Attempt attempt, Ending ending, Throwable failure) {
    UnwrittenEnding unwritten = new UnwrittenEnding(attempt, ending);
    if (OutcomeWriter.mayBeExecuted(failure)) {
      unwritten.answerLost();
    }
    if (failure instanceof UnknownClaimException unknown) {
      lost.add(unknown);
    }
    offer(unwritten);
  }

  private void offer(UnwrittenEnding ending) {
    ending.attempt().unwritten();
    boolean first = onlyDirect && !ending.attempt().isDirect();
    if (first) {
      onlyDirect = false;
    }
    inbox.add(ending);
    if (ended) { // checked after the ending was added, so that it is not overlooked
      writeLast();
      return;
    }
    int waiting = arrived.incrementAndGet();
    if (waiting == 1 || first || isWorthWriting(waiting)) {
      wakeup.raise();
    }
  }

  @Override
  public long run() {
    gather();
    onlyDirect = true;
    takeInbox();
    List<UnwrittenEnding> due = due();
    asked = !due.isEmpty();
    try {
      writer.write(due);
    } finally {
      pending.removeIf(UnwrittenEnding::isSettled);
      collectUntil = System.nanoTime() + COLLECT;
    }
    asked |= writer.releaseLost();
    return writer.pause(pause());
  }

  @Override
  public void end() {
    ended = true;
    writeLast();
  }

  /** Tries once to write the endings that are left. The rescue takes care of the others. */
  private synchronized void writeLast() {
    try {
      takeInbox();
      writer.write(List.copyOf(pending));
      writer.releaseLost();
    } catch (Throwable unavailable) {
      LOG.debug("Last endings were not written", unavailable);
    } finally {
      pending.removeIf(UnwrittenEnding::isSettled);
    }
  }

  private void takeInbox() {
    for (UnwrittenEnding next = inbox.poll(); next != null; next = inbox.poll()) {
      arrived.decrementAndGet();
      pending.add(next);
    }
    for (UnknownClaimException next = lost.poll(); next != null; next = lost.poll()) {
      writer.lost(next);
    }
  }

  @Override
  public boolean asked() {
    return asked;
  }

  /** Waits for more endings, unless enough of them have arrived. */
  private void gather() {
    int waiting = arrived.get();
    if (waiting > 0 && !isWorthWriting(waiting) && flushInterval > 0) {
      wakeup.await(Math.max(flushInterval, collecting()));
    }
  }

  private boolean isWorthWriting(int waiting) {
    return waiting >= UnwrittenEnding.LARGEST_BATCH
        || (waiting >= running.size() && collecting() <= 0);
  }

  /**
   * Returns for how many nanoseconds to collect further endings. Not positive if the time has
   * passed, or if an ending is not of a direct start.
   */
  private long collecting() {
    return onlyDirect ? collectUntil - System.nanoTime() : -1;
  }

  private List<UnwrittenEnding> due() {
    long now = System.nanoTime();
    return pending.stream().filter(unwritten -> unwritten.dueAt() - now <= 0).toList();
  }

  private long pause() {
    if (arrived.get() > 0) {
      return 0;
    }
    long now = System.nanoTime();
    return pending.stream()
        .mapToLong(unwritten -> Math.max(unwritten.dueAt() - now, 0))
        .min()
        .orElse(NOTHING_TO_DO);
  }
}
