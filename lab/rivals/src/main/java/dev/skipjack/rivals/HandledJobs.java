package dev.skipjack.rivals;

import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The handler that all contenders run. It does no work, but records when each job began, and
 * whether any job began more than once.
 */
final class HandledJobs implements Contender.Starts {

  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final long NONE = Long.MIN_VALUE;

  private final long first;
  private final AtomicLongArray nanos;
  private final AtomicLongArray epochMicros;
  private final AtomicLong jobs = new AtomicLong();
  private final AtomicInteger repeated = new AtomicInteger();
  private final AtomicLong firstNanos = new AtomicLong(NONE);

  /**
   * @param first the lowest job number, which may be zero or negative
   * @param last the highest job number
   */
  HandledJobs(long first, long last) {
    this.first = first;
    int size = Math.toIntExact(last - first + 1);
    nanos = new AtomicLongArray(size);
    epochMicros = new AtomicLongArray(size);
  }

  @Override
  public void add(long n, long began) {
    int index = Math.toIntExact(n - first);
    long now = System.nanoTime() - (epochMicros(Instant.now()) - began) * 1_000;
    firstNanos.compareAndSet(NONE, now);
    // nanoTime() may be negative, but is practically never zero, which marks a job that has not
    // begun.
    if (nanos.compareAndSet(index, 0, now)) {
      epochMicros.set(index, began);
      jobs.incrementAndGet();
    } else {
      repeated.incrementAndGet();
    }
  }

  /** Returns an instant in microseconds since 1970. */
  static long epochMicros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  /** Returns the {@link System#nanoTime()} at which the first job began. */
  long firstNanos() {
    return firstNanos.get();
  }

  /** Returns the {@link System#nanoTime()} at which a job began. */
  long nanos(long n) {
    return nanos.get(Math.toIntExact(n - first));
  }

  /** Returns when a job began, in microseconds since 1970, for comparison with another process. */
  long epochMicros(long n) {
    return epochMicros.get(Math.toIntExact(n - first));
  }

  /** Counts jobs that a library has not finished. */
  @FunctionalInterface
  interface Unfinished {
    long count() throws SQLException;
  }

  /**
   * Waits until the given number of jobs have begun and no job is unfinished.
   *
   * @throws IllegalStateException if no job begins for two minutes, or if a job has run more than
   *     once
   */
  void await(String name, Unfinished unfinished, long expected)
      throws SQLException, InterruptedException {
    long before = -1;
    long since = System.nanoTime();
    while (jobs.get() < expected || unfinished.count() > 0) {
      long now = jobs.get();
      if (now != before) {
        before = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > PATIENCE_NANOS) {
        throw new IllegalStateException(
            "%s has run %d of %d jobs, and none for two minutes; %d are unfinished."
                .formatted(name, now, expected, unfinished.count()));
      }
      TimeUnit.MILLISECONDS.sleep(jobs.get() < expected ? 1 : 5);
    }
    if (jobs.get() != expected || repeated.get() > 0) {
      throw new IllegalStateException(
          "%s had %d jobs, ran %d of them and repeated %d."
              .formatted(name, expected, jobs.get(), repeated.get()));
    }
  }
}
