package dev.skipjack.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Decides when an idle claim loop polls again: soon and then ever later after jobs or a wake-up
 * arrived, and at the poll interval otherwise. Times are values of {@link System#nanoTime()}.
 * Confined to one thread.
 *
 * <p>A wake-up stands for all jobs that its sender commits in the 5 ms after it, in any lane of the
 * queue. A listing 5 ms after the wake-up arrived finds them all. The later polls find jobs of
 * callers' transactions that commit late, and jobs of senders that send no wake-ups. After a
 * wake-up whose job another worker claimed, only the first poll follows: the other worker makes the
 * later ones.
 */
final class PollSchedule {

  /** At least as long as the time in which a sender of wake-ups sends no second one. */
  private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(5);

  /** When to poll after jobs arrived. A job is found after four times its own delay at most. */
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

  /** Records that a claim returned jobs. */
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

  /** Up to a fifth longer, and never shorter: an early poll would miss jobs. */
  private long spread(long nanos) {
    return nanos + random.nextLong(nanos / 5 + 1);
  }
}
