package dev.skipjack.worker;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A step, repeated on a thread of its own until stopped. Survives every Throwable: a step that
 * failed is repeated after a growing, jittered pause.
 */
final class Loop {

  /** What is repeated. */
  @FunctionalInterface
  interface Step {
    /** Answers how many nanoseconds to wait before the next, unless woken. */
    long run() throws Exception;

    /** Whether the last run asked the database anything, so that its success says something. */
    default boolean asked() {
      return true;
    }
  }

  static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final String role;
  private final Step step;
  private final Wakeup wakeup;
  private final Reporter reporter;
  private final RandomGenerator random;
  private final long longestPause;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private @Nullable Thread thread;
  private volatile long stepBegan = System.nanoTime();
  private volatile boolean inStep;
  private int failures;

  /**
   * @param longestPause after failures; at most {@link #LONGEST_PAUSE}
   */
  Loop(
      String role,
      Step step,
      Wakeup wakeup,
      Reporter reporter,
      RandomGenerator random,
      Duration longestPause) {
    this.role = role;
    this.step = step;
    this.wakeup = wakeup;
    this.reporter = reporter;
    this.random = random;
    this.longestPause = Math.min(longestPause.toNanos(), LONGEST_PAUSE.toNanos());
  }

  synchronized void start(WorkerThreads threads) {
    thread = threads.start(role, this::run);
  }

  /** Asks the loop to end after the step it is in. */
  void stop() {
    stopped.countDown();
    wakeup.raise();
  }

  boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Waits for the end and answers whether it came; a loop that was never started has ended. */
  boolean join(long nanos) throws InterruptedException {
    Thread running;
    synchronized (this) {
      running = thread;
    }
    if (running == null) {
      return true;
    }
    TimeUnit.NANOSECONDS.timedJoin(running, Math.max(nanos, 1));
    return !running.isAlive();
  }

  String role() {
    return role;
  }

  /** Whether its thread lives and is not caught in one step for so long. */
  synchronized boolean isAlive(Duration longestStep) {
    return thread != null
        && thread.isAlive()
        && !(inStep && System.nanoTime() - stepBegan > longestStep.toNanos());
  }

  private void run() {
    try {
      repeat();
    } finally {
      reporter.waitsNoMore(role);
    }
  }

  private void repeat() {
    while (!isStopped()) {
      try {
        stepBegan = System.nanoTime();
        inStep = true;
        long pause = step.run();
        inStep = false;
        reporter.waitsNoMore(role);
        if (step.asked()) {
          succeeded();
        }
        if (pause > 0) {
          wakeup.await(pause);
        }
      } catch (Throwable thrown) {
        recover(thrown);
      }
    }
  }

  private void succeeded() {
    reporter.databaseAnswered();
    if (failures > 0) {
      failures = 0;
      reporter.loopRecovered(role);
    }
  }

  private void recover(Throwable thrown) {
    inStep = false;
    if (isStopped()) {
      return; // whoever stopped it may have closed the pool already
    }
    try {
      reporter.databaseFailed(role, thrown);
      if (failures++ == 0) {
        reporter.loopFailed(role, thrown);
      }
      // Not the wake-up: new work must not hammer a database that is away.
      if (stopped.await(pauseAfter(failures), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (Throwable again) {
      // Out of memory even for a log line, perhaps; what can be done is to go on.
      Thread.onSpinWait();
    }
  }

  /** From 25..50 ms, doubling. */
  private long pauseAfter(int failures) {
    long full =
        Math.min(TimeUnit.MILLISECONDS.toNanos(50) << Math.min(failures - 1, 20), longestPause);
    return full / 2 + random.nextLong(full / 2 + 1);
  }
}
