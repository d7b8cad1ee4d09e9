package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.JobError;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls listeners on a dedicated thread, with one event at a time. The threads that renew leases,
 * claim jobs and write outcomes only add events to its queue, because a hanging listener must not
 * cause any attempt to lose its lease.
 *
 * <p>The queue is bounded, by the number of events and by the size of the errors in them. Events
 * that do not fit are dropped, counted about once a second, and logged at most once a minute. Used
 * once.
 *
 * <p>After an event, the thread waits for 1 ms and polls the queue again before it waits to be
 * woken, because waking it for each event would be expensive.
 */
final class EventDispatcher {

  /** The maximum number of events in the queue; each takes about 150 bytes. */
  static final int CAPACITY = 50_000;

  /**
   * The maximum number of characters of messages and stack traces in the queue, which matters when
   * many jobs fail at once.
   */
  static final long LONGEST_TEXT = 8_000_000;

  /**
   * The number of characters that an exception counts as. An exception and its causes hold several
   * kilobytes of stack frames.
   */
  static final long LENGTH_OF_EXCEPTION = 5_000;

  private static final long LOOK_AGAIN_AFTER = Duration.ofMillis(1).toNanos();
  private static final long COUNT_INTERVAL = Duration.ofSeconds(1).toNanos();
  private static final long WARN_INTERVAL = Duration.ofMinutes(1).toNanos();

  private final List<WorkerListener> listeners;
  private final String worker;
  private final LongConsumer countDropped;

  private final Queue<WorkerEvent> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong text = new AtomicLong();
  private volatile boolean closed;
  private volatile long deadline;

  /** Whether the thread must be woken for the next event. */
  private volatile boolean asleep;

  private final Object drops = new Object();
  private long uncounted;
  private long countedAt = System.nanoTime() - COUNT_INTERVAL;
  private long unreported;
  private long reportedAt = System.nanoTime() - WARN_INTERVAL;

  private volatile @Nullable WorkerListener called;
  private volatile @Nullable Thread thread;

  /**
   * @param countDropped is called periodically with the number of events that were dropped since
   *     the last call
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
    if (closed) {
      return;
    }
    if (reserve(lengthOf(event))) {
      waiting.add(event);
      if (asleep) {
        wake();
      }
    } else {
      dropped(1, COUNT_INTERVAL, WARN_INTERVAL);
    }
  }

  private boolean reserve(long length) {
    if (size.incrementAndGet() <= CAPACITY) {
      if (length == 0 || text.addAndGet(length) <= LONGEST_TEXT) {
        return true;
      }
      text.addAndGet(-length);
    }
    size.decrementAndGet();
    return false;
  }

  private @Nullable WorkerEvent poll() {
    WorkerEvent next = waiting.poll();
    if (next != null) {
      size.decrementAndGet();
      long length = lengthOf(next);
      if (length > 0) {
        text.addAndGet(-length);
      }
    }
    return next;
  }

  private void wake() {
    asleep = false;
    LockSupport.unpark(thread);
  }

  /**
   * Accepts no more events and waits until the queued ones have been delivered. After {@code
   * nanos}, the remaining events are dropped, and a listener that is still running is interrupted.
   * If a listener calls this method, it returns without waiting, and the remaining events are
   * delivered after the listener has returned, until {@code nanos} have passed.
   */
  void stop(long nanos) throws InterruptedException {
    deadline = System.nanoTime() + nanos;
    closed = true;
    wake();
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
    boolean told = false;
    while (!closed || System.nanoTime() - deadline < 0) {
      WorkerEvent next = poll();
      if (next != null) {
        deliver(next);
        dropped(0, 0, WARN_INTERVAL);
        told = true;
      } else if (closed) {
        break;
      } else if (told) {
        told = false;
        Thread.interrupted(); // a set interrupt flag would keep the thread from parking
        LockSupport.parkNanos(this, LOOK_AGAIN_AFTER);
      } else {
        sleep();
      }
    }
    dropRest();
  }

  private void sleep() {
    Thread.interrupted(); // a set interrupt flag would keep the thread from parking
    asleep = true;
    if (waiting.isEmpty() && !closed) {
      LockSupport.park(this);
    }
    asleep = false;
  }

  private void deliver(WorkerEvent event) {
    for (WorkerListener listener : listeners) {
      called = listener;
      try {
        listener.on(event);
      } catch (Throwable thrown) {
        failed(event, listener, thrown);
      }
      Thread.interrupted(); // an interrupt flag left by one listener must not affect the next
    }
    called = null;
  }

  private static void failed(WorkerEvent event, WorkerListener listener, Throwable thrown) {
    try {
      LOG.warn(
          "Worker listener failed event={} listener={}",
          event.getClass().getSimpleName(),
          listener.getClass().getName(),
          thrown);
    } catch (Throwable again) {
      Thread.onSpinWait(); // no memory for a log line; the thread must continue
    }
  }

  private void dropRest() {
    long rest = 0;
    while (poll() != null) {
      rest++;
    }
    dropped(rest, 0, 0);
  }

  /**
   * Counts and logs dropped events, including earlier ones whose report is due.
   *
   * @param events the number of events that were dropped now
   * @param countInterval the minimum number of nanoseconds between counts
   * @param warnInterval the minimum number of nanoseconds between log lines
   */
  private void dropped(long events, long countInterval, long warnInterval) {
    long count;
    long report;
    synchronized (drops) {
      uncounted += events;
      unreported += events;
      count = takeCount(countInterval);
      report = takeReport(warnInterval);
    }
    // Called without the lock, because the user's code may hang.
    if (count > 0) {
      countDropped.accept(count);
    }
    if (report > 0) {
      report(report);
    }
  }

  /**
   * Returns the number of drops to count now: 0 if there are none, or if the last count is too
   * recent.
   */
  private long takeCount(long interval) {
    if (uncounted == 0) {
      return 0;
    }
    long now = System.nanoTime();
    if (now - countedAt < interval) {
      return 0;
    }
    long count = uncounted;
    uncounted = 0;
    countedAt = now;
    return count;
  }

  /**
   * Returns the number of drops to log now: 0 if there are none, or if the last log line is too
   * recent.
   */
  private long takeReport(long interval) {
    if (unreported == 0) {
      return 0;
    }
    long now = System.nanoTime();
    if (now - reportedAt < interval) {
      return 0;
    }
    long report = unreported;
    unreported = 0;
    reportedAt = now;
    return report;
  }

  private void report(long events) {
    WorkerListener busy = called;
    try {
      LOG.warn(
          "Events dropped because listeners are too slow worker={} events={} busyListener={}",
          worker,
          events,
          busy == null ? "none" : busy.getClass().getName());
    } catch (Throwable unwritable) {
      Thread.onSpinWait(); // a broken log must not end the thread
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
            || event instanceof WorkerEvent.LoopFailed
            || event instanceof WorkerEvent.ScheduleFailed;
    return exception ? LENGTH_OF_EXCEPTION : 0;
  }

  private static long lengthOf(JobError error) {
    String stack = error.stack();
    return error.message().length() + (stack == null ? 0L : stack.length());
  }
}
