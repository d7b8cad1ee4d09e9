package dev.skipjack.torture;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;

/**
 * Supplies the times of a history, which must be comparable between processes. A process with a
 * skewed wall clock starts from the time of its parent process and adds the time elapsed on the
 * monotonic clock. On systems where clocks can be skewed, all processes share the monotonic clock.
 * Safe for any number of threads.
 */
final class HistoryClock {

  private static final int NANOS_PER_MICRO = 1_000;

  private final LongSupplier wallMicros;
  private final LongSupplier nanos;

  private HistoryClock(LongSupplier wallMicros, LongSupplier nanos) {
    this.wallMicros = wallMicros;
    this.nanos = nanos;
  }

  static HistoryClock ofWall() {
    return of(() -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), System::nanoTime);
  }

  static HistoryClock of(LongSupplier wallMicros, LongSupplier nanos) {
    return new HistoryClock(wallMicros, nanos);
  }

  /** Returns the time in microseconds since 1970. */
  long micros() {
    return wallMicros.getAsLong();
  }

  /** Returns the current times of both clocks, for {@link #from} in a child process. */
  String moment() {
    return micros() + "/" + nanos.getAsLong();
  }

  /**
   * Returns a clock that continues from a {@link #moment} of another process and ignores the wall
   * clock of this one.
   */
  HistoryClock from(String moment) {
    int slash = moment.indexOf('/');
    long then = Long.parseLong(moment.substring(0, slash));
    long began = Long.parseLong(moment.substring(slash + 1));
    return of(() -> then + (nanos.getAsLong() - began) / NANOS_PER_MICRO, nanos);
  }
}
