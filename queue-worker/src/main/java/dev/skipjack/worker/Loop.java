package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a step, usually on a dedicated thread, until the loop is stopped. One thread at a time
 * runs the step. No Throwable ends the loop: a failed step is repeated after a jittered pause that
 * grows.
 */
final class Loop {

  /** The step that a loop repeats. */
  @FunctionalInterface
  interface Step {
    /**
     * Runs once and returns how many nanoseconds to wait before the next run, unless the loop is
     * woken earlier.
     */
    long run() throws Exception;

    /**
     * Returns whether the last run used the database, so that its success shows that the database
     * is available.
     */
    default boolean asked() {
      return true;
    }

    /** Returns the minimum number of nanoseconds to wait after this failure of {@link #run}. */
    default long pauseAfter(Throwable failure) {
      return 0;
    }

    /** Runs once after the loop was stopped. A failure is only logged: the loop cannot retry. */
    default void end() throws Exception {}
  }

  static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /**
   * The maximum pause of the loops that detect whether the database is available again. They wake
   * the others.
   */
  static final Duration PROBE_PAUSE = Duration.ofMillis(500);

  private final String role;
  private final Step step;
  private final Wakeup wakeup;
  private final Reporter reporter;
  private final RandomGenerator random;
  private final long longestPause;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Wakeup retry = new Wakeup();
  private @Nullable Thread thread;
  private volatile long stepBegan = System.nanoTime();
  private volatile boolean inStep;
  private volatile boolean databaseIsBack;
  private volatile @Nullable Long wokenFor; // start of the failures whose pause was cut short
  private volatile @Nullable Trouble trouble;

  /** Held by the thread that runs the step. */
  private final ReentrantLock turn = new ReentrantLock();

  private volatile long nextAt; // nanoTime
  private volatile @Nullable Throwable failure; // of the last run, until its pause ends
  private boolean hasFailed; // until a step that used the database succeeds
  private int failures; // in a row, since the database became available again

  /**
   * The failure that prevents a loop from working.
   *
   * @param since the nanoTime of the first failure
   * @param error the message of the latest failure
   */
  record Trouble(String role, long since, String error) {

    Duration duration() {
      return Duration.ofNanos(System.nanoTime() - since);
    }
  }

  /**
   * @param longestPause the maximum pause after failures, at most {@link #LONGEST_PAUSE}
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

  /** Starts the loop unless it was started or stopped before. */
  synchronized void startOnce(WorkerThreads threads) {
    if (thread == null && !isStopped()) {
      start(threads);
    }
  }

  synchronized boolean isStarted() {
    return thread != null;
  }

  /** Asks the loop to end after its current step. */
  void stop() {
    stopped.countDown();
    wakeup.raise();
    retry.raise();
  }

  /**
   * Ends the current pause after a failure, if any, and makes the next pauses short again. Further
   * calls have no effect until a step of this loop succeeds. Otherwise, a loop that fails for
   * another reason would retry without pauses whenever another loop succeeds.
   */
  void databaseIsBack() {
    Trouble current = trouble;
    if (current != null && !Objects.equals(wokenFor, current.since())) {
      wokenFor = current.since();
      databaseIsBack = true;
      retry.raise();
    }
  }

  /** Returns the current failure, or null if the last step did not fail. */
  @Nullable Trouble trouble() {
    return trouble;
  }

  boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /**
   * Waits for the loop to end. Returns whether it has ended; a loop that was never started counts
   * as ended.
   */
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

  /**
   * Returns whether the loop's thread is alive and its current step has taken less than {@code
   * longestStep}.
   */
  synchronized boolean isAlive(Duration longestStep) {
    return thread != null
        && thread.isAlive()
        && !(inStep && System.nanoTime() - stepBegan > longestStep.toNanos());
  }

  /** Returns an exception that a step can throw later, after the rest of its work. */
  static RuntimeException unchecked(Throwable thrown) {
    return thrown instanceof RuntimeException failure ? failure : new IllegalStateException(thrown);
  }

  private void run() {
    try {
      repeat();
      turn.lock(); // another thread may still run the step
      try {
        step.end();
      } finally {
        turn.unlock();
      }
    } catch (Throwable unavailable) {
      LOG.debug("Last step of a stopped loop failed role={}", role, unavailable);
    } finally {
      reporter.waitsNoMore(role);
    }
  }

  private void repeat() {
    while (!isStopped()) {
      try {
        turn.lock();
        try {
          if (failure == null) { // a failure in another thread first causes a pause
            take();
          }
        } finally {
          turn.unlock();
        }
        rest();
      } catch (Throwable noMemory) {
        failure = noMemory; // even waiting needs memory; the next run follows a pause
      }
    }
  }

  /**
   * Runs the step in the calling thread, if the loop's own thread is waiting for the next run. This
   * saves the time to wake that thread. A failure is handled like one of that thread.
   *
   * @return whether the step ran; otherwise, the caller should raise the wake-up
   */
  boolean runHere() {
    if (!turn.tryLock()) {
      return false;
    }
    try {
      if (failure != null || isStopped()) {
        return false;
      }
      take();
    } finally {
      turn.unlock();
    }
    wakeup.nudge(); // the next run may be due earlier now
    return true;
  }

  /** Runs the step once. The caller holds the turn. */
  private void take() {
    try {
      Thread.interrupted(); // a flag that foreign code has set must not fail the step
      stepBegan = System.nanoTime();
      inStep = true;
      long pause = step.run();
      inStep = false;
      reporter.waitsNoMore(role);
      trouble = null;
      if (step.asked()) {
        succeeded();
      } else {
        reporter.askedNothing(role);
      }
      nextAt = System.nanoTime() + pause;
    } catch (Throwable thrown) {
      inStep = false;
      failure = thrown;
    }
  }

  /** Waits until the next run is due or requested, or until the pause after a failure ends. */
  private void rest() {
    while (failure == null) {
      long left = nextAt - System.nanoTime();
      if (left <= 0 || wakeup.awaitRaise(left)) {
        return;
      }
    }
    try {
      recover(failure);
    } finally {
      failure = null; // only now: nothing may run the step during the pause
    }
  }

  private void succeeded() {
    reporter.databaseAnswered(role);
    if (hasFailed) {
      hasFailed = false;
      reporter.loopRecovered(role);
    }
  }

  private void recover(@Nullable Throwable thrown) {
    if (thrown == null || isStopped()) {
      return; // a stop may have closed the pool already
    }
    try {
      reporter.databaseFailed(role, thrown);
      Trouble before = trouble;
      trouble =
          new Trouble(
              role, before == null ? System.nanoTime() : before.since(), LogText.of(thrown));
      if (!hasFailed) {
        hasFailed = true;
        reporter.loopFailed(role, thrown);
      }
      failures = before == null || databaseIsBack ? 1 : failures + 1;
      databaseIsBack = false;
      // Ignores wake-ups, because new work must not cause requests to an unavailable database.
      retry.await(Math.max(pauseAfter(failures), step.pauseAfter(thrown)));
    } catch (Throwable again) {
      // Perhaps there is no memory even for a log line; the loop can only continue.
      Thread.onSpinWait();
    }
  }

  /**
   * Returns the pause after the given number of failures. It starts between 25 and 50 ms, and
   * doubles up to the longest pause.
   */
  private long pauseAfter(int failures) {
    long full =
        Math.min(TimeUnit.MILLISECONDS.toNanos(50) << Math.min(failures - 1, 20), longestPause);
    return full / 2 + random.nextLong(full / 2 + 1);
  }
}
