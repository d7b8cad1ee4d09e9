package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.OwnedJobs.Checked;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Checks the owners of jobs that this worker has ended, and sweeps for owners that no worker has
 * checked. Any worker may do this for all others at any time.
 *
 * <p>The first check follows at once. While jobs keep ending, a check follows {@link #PAUSE} after
 * the previous one, for all owners that were named in the meantime, so a drain of many jobs with
 * few owners costs few checks. While an owner has live jobs, sweeps run every second, otherwise
 * every ten seconds. A sweep that finds no owner reads one index entry.
 *
 * <p>{@link #expect} and {@link #sweepSoon} are safe for any number of threads. {@link #checkLast}
 * is called after the loop has ended. All other methods are confined to the thread of the loop.
 */
final class OwnerChecks implements Loop.Step {

  static final String ROLE = "owner-checks";

  /** The minimum time between two checks, and thus the longest delay of the last one. */
  private static final long PAUSE = Duration.ofMillis(10).toNanos();

  private static final long WHILE_OPEN = Duration.ofSeconds(1).toNanos();
  private static final long OTHERWISE = Duration.ofSeconds(10).toNanos();

  /** Limits sweeps to an eleventh of the time, regardless of the number of owners. */
  private static final int PAUSE_BY_DURATION = 10;

  /** The maximum number of owners in one check. */
  private static final int MOST_OWNERS = 200;

  private final OwnedJobs jobs;
  private final Consumer<WakeUp> due;
  private final Wakeup loop;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Set<Long> heard = new LinkedHashSet<>();
  private volatile boolean soon;
  private long checkAt;
  private long sweepAt;

  /**
   * @param due receives a wake-up for each job that has become due
   * @param loop wakes this loop; raised by {@link #expect}
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   */
  OwnerChecks(
      OwnedJobs jobs,
      Consumer<WakeUp> due,
      Wakeup loop,
      LongSupplier clock,
      RandomGenerator random) {
    this.jobs = jobs;
    this.due = due;
    this.loop = loop;
    this.clock = clock;
    this.random = random;
    this.checkAt = clock.getAsLong();
    this.sweepAt = checkAt;
  }

  /** Records that a job of an owner may have ended. Must be called after the commit of its end. */
  void expect(long owner) {
    boolean isNew;
    synchronized (heard) {
      isNew = heard.add(owner);
    }
    if (isNew) {
      loop.raise();
    }
  }

  /** Requests a sweep, because jobs have ended whose owners are unknown here. */
  void sweepSoon() {
    soon = true;
    loop.raise();
  }

  @Override
  public long run() {
    long now = clock.getAsLong();
    if (now - checkAt >= 0) {
      List<Long> owners = take();
      if (!owners.isEmpty()) {
        check(owners);
      }
    }
    if (soon || clock.getAsLong() - sweepAt >= 0) {
      sweep();
    }
    now = clock.getAsLong();
    long pause = hasHeard() ? Math.min(checkAt - now, sweepAt - now) : sweepAt - now;
    return Math.max(pause, 1);
  }

  private void check(List<Long> owners) {
    boolean checked = false;
    try {
      Checked result = jobs.check(owners);
      checked = true;
      result.due().forEach(due);
      if (result.open() || result.unfinished()) {
        long pause = result.unfinished() ? 0 : Jitter.around(WHILE_OPEN, random);
        sweepAt = Math.min(sweepAt, clock.getAsLong() + pause);
      }
    } finally {
      checkAt = clock.getAsLong() + PAUSE;
      if (!checked) {
        sweepAt = Math.min(sweepAt, checkAt); // it finds the owners that this check has missed
      }
    }
  }

  private void sweep() {
    long began = clock.getAsLong();
    soon = false;
    // A failed sweep is not repeated at once: the loop has its own pauses after failures.
    sweepAt = began + Jitter.around(WHILE_OPEN, random);
    Checked result = jobs.sweep();
    long took = clock.getAsLong() - began;
    long pause =
        result.unfinished() ? 0 : Jitter.around(result.open() ? WHILE_OPEN : OTHERWISE, random);
    sweepAt = began + took + Math.max(pause, PAUSE_BY_DURATION * took);
    result.due().forEach(due);
  }

  /**
   * Checks the owners of jobs that have ended since the loop ended, once. The sweep of another
   * worker finds the others.
   */
  void checkLast() {
    try {
      List<Long> owners = take();
      if (!owners.isEmpty()) {
        Checked unused = jobs.check(owners);
      }
    } catch (Throwable unavailable) {
      LOG.debug("Last owners were not checked", unavailable);
    }
  }

  private List<Long> take() {
    synchronized (heard) {
      List<Long> taken = new ArrayList<>();
      Iterator<Long> owners = heard.iterator();
      while (owners.hasNext() && taken.size() < MOST_OWNERS) {
        taken.add(owners.next());
        owners.remove();
      }
      return taken;
    }
  }

  private boolean hasHeard() {
    synchronized (heard) {
      return !heard.isEmpty();
    }
  }
}
