package dev.skipjack.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.ConcurrentHistogram;

/** A histogram of durations: recorded in microseconds by any thread, reported in milliseconds. */
public final class Latencies {

  private static final long MAX_MICROS = 3_600_000_000L;

  private final ConcurrentHistogram histogram = new ConcurrentHistogram(MAX_MICROS, 3);

  /**
   * Records a duration. A negative duration, which can result from comparing the clocks of two
   * machines, counts as zero.
   */
  public void add(long micros) {
    histogram.recordValue(Math.min(Math.max(micros, 0), MAX_MICROS));
  }

  public void addNanos(long nanos) {
    add(nanos / 1_000);
  }

  long count() {
    return histogram.getTotalCount();
  }

  /** Returns a percentile in milliseconds; 0 if nothing is recorded. */
  public double millis(double percentile) {
    return count() == 0 ? 0 : histogram.getValueAtPercentile(percentile) / 1_000.0;
  }

  double maxMillis() {
    return millis(100);
  }

  /** Returns p50, p95, p99 and maximum for the report; {@code prefix} precedes each name. */
  Map<String, Double> figures(String prefix) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(prefix + "p50_ms", millis(50));
    figures.put(prefix + "p95_ms", millis(95));
    figures.put(prefix + "p99_ms", millis(99));
    figures.put(prefix + "max_ms", maxMillis());
    return figures;
  }
}
