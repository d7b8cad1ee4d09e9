package dev.skipjack.worker;

import dev.skipjack.api.JobError;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls listeners on a thread of its own, one event after the other. The threads that renew leases,
 * claim, and write outcomes only put events into its queue: a listener that hangs must not cost
 * anybody a lease.
 *
 * <p>The queue is bounded, by events and by the errors in them. What does not fit is dropped,
 * counted about once a second, and logged at most once a minute. Used once.
 */
final class EventDispatcher {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);

  /** Most events that wait; each takes some 150 bytes. */
  static final int CAPACITY = 50_000;

  /** Most characters of messages and stack traces that wait: of a storm of failures, say. */
  static final long LONGEST_TEXT = 8_000_000;

  /**
   * What an exception counts as among those characters: it holds some kilobytes of frames, with its
   * causes. To know it better would mean to copy the frames of each.
   */
  static final long LENGTH_OF_EXCEPTION = 5_000;

  private static final long COUNT_INTERVAL = Duration.ofSeconds(1).toNanos();
  private static final long WARN_INTERVAL = Duration.ofMinutes(1).toNanos();

  private final List<WorkerListener> listeners;
  private final String worker;
  private final LongConsumer countDropped;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<WorkerEvent> waiting = new ArrayDeque<>();
  private long text;
  private boolean closed;
  private long deadline;
  private long uncounted;
  private long countedAt = System.nanoTime() - COUNT_INTERVAL;
  private long unreported;
  private long reportedAt = System.nanoTime() - WARN_INTERVAL;

  private volatile @Nullable WorkerListener called;
  private volatile @Nullable Thread thread;

  /**
   * @param countDropped told now and then how many more events were dropped
   */
  EventDispatcher(List<WorkerListener> listeners, String worker, LongConsumer countDropped) {
    this.listeners = List.copyOf(listeners);
    this.worker = worker;
    this.countDropped = countDropped;
  }

  void start(WorkerThreads threads) {
    thread = threads.start("events", this::run);
  }

  boolean isCurrentThread() {
    return thread == Thread.currentThread();
  }

  /** Queues an event for the listeners, or drops it. Never waits for a listener. */
  void dispatch(WorkerEvent event) {
    long length = lengthOf(event);
    long count;
    long report;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (waiting.size() < CAPACITY && text + length <= LONGEST_TEXT) {
        waiting.add(event);
        text += length;
        changed.signal();
        return;
      }
      uncounted++;
      unreported++;
      count = takeCount(COUNT_INTERVAL);
      report = takeReport(WARN_INTERVAL);
    } finally {
      lock.unlock();
    }
    count(count);
    report(report);
  }

  /**
   * Takes no more events and waits until those that are queued have been delivered. What is left
   * after {@code nanos} is dropped, and a listener that still runs is interrupted. A listener that
   * calls this is not waited for; the rest is delivered once it has returned.
   */
  void stop(long nanos) throws InterruptedException {
    lock.lock();
    try {
      closed = true;
      deadline = System.nanoTime() + nanos;
      changed.signal();
    } finally {
      lock.unlock();
    }
    Thread running = thread;
    if (running == null || running == Thread.currentThread()) {
      return;
    }
    try {
      TimeUnit.NANOSECONDS.timedJoin(running, Math.max(nanos, 1));
    } finally {
      if (running.isAlive()) {
        running.interrupt();
      }
      dropRest();
    }
  }

  private void run() {
    for (WorkerEvent next = take(); next != null; next = take()) {
      deliver(next);
    }
    dropRest();
  }

  /** Waits for an event; null once closed and either empty or past the deadline. */
  private @Nullable WorkerEvent take() {
    WorkerEvent next = null;
    long count;
    long report;
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      if (!closed || System.nanoTime() - deadline < 0) {
        next = waiting.poll();
      }
      if (next != null) {
        text -= lengthOf(next);
      }
      count = takeCount(0);
      report = takeReport(WARN_INTERVAL);
    } finally {
      lock.unlock();
    }
    count(count);
    report(report);
    return next;
  }

  private void deliver(WorkerEvent event) {
    for (WorkerListener listener : listeners) {
      called = listener;
      try {
        listener.on(event);
      } catch (Throwable thrown) {
        failed(event, listener, thrown);
      }
      Thread.interrupted(); // a flag that one listener left must not strike the next
    }
    called = null;
  }

  private static void failed(WorkerEvent event, WorkerListener listener, Throwable thrown) {
    try {
      log.warn(
          "Worker listener failed event={} listener={}",
          event.getClass().getSimpleName(),
          listener.getClass().getName(),
          thrown);
    } catch (Throwable again) {
      Thread.onSpinWait(); // no memory for a log line; the thread must live on
    }
  }

  private void dropRest() {
    long count;
    long report;
    lock.lock();
    try {
      int rest = waiting.size();
      waiting.clear();
      text = 0;
      uncounted += rest;
      unreported += rest;
      count = takeCount(0);
      report = takeReport(0);
    } finally {
      lock.unlock();
    }
    count(count);
    report(report);
  }

  /** How many drops to count now; 0 if none, or if the last count is too recent. */
  private long takeCount(long interval) {
    long now = System.nanoTime();
    if (uncounted == 0 || now - countedAt < interval) {
      return 0;
    }
    long count = uncounted;
    uncounted = 0;
    countedAt = now;
    return count;
  }

  /** Without the lock, which no other's code may hold up. */
  private void count(long events) {
    if (events > 0) {
      countDropped.accept(events);
    }
  }

  /** How many drops to report now; 0 if none, or if the last report is too recent. */
  private long takeReport(long interval) {
    long now = System.nanoTime();
    if (unreported == 0 || now - reportedAt < interval) {
      return 0;
    }
    long report = unreported;
    unreported = 0;
    reportedAt = now;
    return report;
  }

  private void report(long events) {
    if (events > 0) {
      WorkerListener busy = called;
      log.warn(
          "Events dropped, the listeners take too long worker={} events={} busyListener={}",
          worker,
          events,
          busy == null ? "none" : busy.getClass().getName());
    }
  }

  private static long lengthOf(WorkerEvent event) {
    if (event instanceof WorkerEvent.Failed failed) {
      return lengthOf(failed.error());
    }
    if (event instanceof WorkerEvent.Dead dead) {
      return lengthOf(dead.error());
    }
    boolean exception =
        event instanceof WorkerEvent.DatabaseLost
            || event instanceof WorkerEvent.PoolExhausted
            || event instanceof WorkerEvent.LoopFailed;
    return exception ? LENGTH_OF_EXCEPTION : 0;
  }

  private static long lengthOf(JobError error) {
    String stack = error.stack();
    return error.message().length() + (stack == null ? 0L : stack.length());
  }
}
