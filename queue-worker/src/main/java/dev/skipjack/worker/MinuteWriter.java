package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.api.spi.WorkerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Writes the counts of a worker once a minute, in the first ten seconds of the next one, each
 * worker at its own time. If that fails, the counts of this minute are missing in the charts.
 */
final class MinuteWriter {

  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long SPREAD = Duration.ofSeconds(10).toMillis();

  private final WorkerRegistry registry;
  private final WorkerId worker;
  private final MinuteCounts counts;
  private final Reporter reporter;
  private final LongSupplier clock;
  private final long offset;
  private long nextAt;
  private boolean failing;

  /**
   * @param clock returns the time in milliseconds since the epoch
   */
  MinuteWriter(
      WorkerRegistry registry,
      WorkerId worker,
      MinuteCounts counts,
      Reporter reporter,
      LongSupplier clock,
      RandomGenerator random) {
    this.registry = registry;
    this.worker = worker;
    this.counts = counts;
    this.reporter = reporter;
    this.clock = clock;
    this.offset = random.nextLong(SPREAD);
    this.nextAt = next();
  }

  /** Returns the next time at which the counts are due. */
  private long next() {
    long begin = (clock.getAsLong() - offset) / MINUTE * MINUTE;
    return begin + MINUTE + offset;
  }

  /** Writes the counts if they are due. Returns whether it used the database. */
  boolean run() {
    if (clock.getAsLong() < nextAt) {
      return false;
    }
    nextAt = next();
    return write();
  }

  /** Writes the counts since the last write. Returns whether it used the database. */
  boolean write() {
    List<JobMinute> taken = counts.take();
    if (taken.isEmpty()) {
      return false;
    }
    safely(() -> registry.addMinute(worker, taken));
    return true;
  }

  void addDepths() {
    safely(registry::addDepths);
  }

  /** Runs a step whose failure must not keep the worker from being announced. */
  private void safely(Runnable step) {
    try {
      step.run();
      failing = false;
    } catch (StoreException failure) {
      if (!failing && !DatabaseWatch.isAway(failure)) {
        reporter.minutesNotAdded(failure);
        failing = true;
      }
    }
  }

  /** Returns the number of nanoseconds until the counts are due. */
  long nanosLeft() {
    // The clock of the machine may be set back.
    long left = Math.min(nextAt - clock.getAsLong(), MINUTE + SPREAD);
    return TimeUnit.MILLISECONDS.toNanos(Math.max(1, left));
  }
}
