package dev.skipjack.torture;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;

/**
 * Tells the times of a history, so that those of all processes can be compared. A process whose
 * wall clock is wrong on purpose counts on from a moment of the one that started it, by the
 * machine's monotonic clock, which processes share where clocks can be skewed. Safe for any number
 * of threads.
 */
final class HistoryClock {

  private static final int NANOS_OF_MICRO = 1_000;

  private final LongSupplier wallMicros;
  private final LongSupplier nanos;

  private HistoryClock(LongSupplier wallMicros, LongSupplier nanos) {
    this.wallMicros = wallMicros;
    this.nanos = nanos;
  }

  /** The wall clock of this process. */
  static HistoryClock ofWall() {
    return of(() -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), System::nanoTime);
  }

  static HistoryClock of(LongSupplier wallMicros, LongSupplier nanos) {
    return new HistoryClock(wallMicros, nanos);
  }

  /** The time, in microseconds since 1970. */
  long micros() {
    return wallMicros.getAsLong();
  }

  /** This moment by both clocks, for a process whose wall clock is wrong. */
  String moment() {
    return micros() + "/" + nanos.getAsLong();
  }

  /** Counts on from a {@link #moment} of another process, whatever this one's wall clock says. */
  HistoryClock from(String moment) {
    int slash = moment.indexOf('/');
    long then = Long.parseLong(moment.substring(0, slash));
    long began = Long.parseLong(moment.substring(slash + 1));
    return of(() -> then + (nanos.getAsLong() - began) / NANOS_OF_MICRO, nanos);
  }
}
