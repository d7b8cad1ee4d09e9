package dev.skipjack.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Determines when an idle claim loop polls again. After jobs or a wake-up have arrived, it polls
 * soon and then at growing intervals. Otherwise, it polls at the poll interval. Times are values of
 * {@link System#nanoTime()}. Confined to one thread.
 *
 * <p>After a wake-up, its sender sends no other wake-up for 5 ms, even for jobs in other lanes of
 * the queue. A listing 5 ms after the wake-up finds all of these jobs. The later polls find jobs of
 * callers' transactions that commit late, and jobs of senders that send no wake-ups. If another
 * worker claimed the job of a wake-up, this worker makes only the first of these polls, and the
 * other worker makes the rest.
 */
final class PollSchedule {

  /**
   * The delay of the first poll. It is at least as long as the period in which the sender of a
   * wake-up does not send another one.
   */
  private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(5);

  /**
   * The times of the polls after jobs arrived. A job whose commit was delayed by up to 625 ms is
   * found at most about four times that delay after its commit.
   */
  private static final long[] AFTER_JOBS = {
    FIRST,
    TimeUnit.MILLISECONDS.toNanos(25),
    TimeUnit.MILLISECONDS.toNanos(125),
    TimeUnit.MILLISECONDS.toNanos(625)
  };

  private final long interval;
  private final RandomGenerator random;
  private long jobsArrived;
  private int polled = AFTER_JOBS.length;
  private long wokenUp;
  private boolean pollsAfterWakeUp;

  PollSchedule(Duration interval, RandomGenerator random) {
    this.interval = interval.toNanos();
    this.random = random;
  }

  /** Records that a claim returned jobs, or that jobs will probably arrive without wake-ups. */
  void jobsArrived(long now) {
    jobsArrived = now;
    polled = 0;
    pollsAfterWakeUp = false; // the first poll after the jobs is later
  }

  /** Records a wake-up for which the claim returned no job. */
  void wokenUp(long now) {
    wokenUp = now;
    pollsAfterWakeUp = true;
  }

  /** Returns how many nanoseconds to wait before the next poll. */
  long pause(long now) {
    while (polled < AFTER_JOBS.length && now - jobsArrived >= AFTER_JOBS[polled]) {
      polled++;
    }
    pollsAfterWakeUp &= now - wokenUp < FIRST;
    long pause = Jitter.around(interval, random);
    if (polled < AFTER_JOBS.length) {
      pause = Math.min(pause, spread(jobsArrived + AFTER_JOBS[polled] - now));
    }
    if (pollsAfterWakeUp) {
      pause = Math.min(pause, spread(wokenUp + FIRST - now));
    }
    return pause;
  }

  /**
   * Returns the given time, extended by up to a fifth but never shortened, because an early poll
   * would miss jobs.
   */
  private long spread(long nanos) {
    return nanos + random.nextLong(nanos / 5 + 1);
  }
}
