package dev.skipjack.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.ConcurrentHistogram;

/** Times that many threads note, in microseconds; told in milliseconds. */
final class Latencies {

  private static final long MOST_MICROS = 3_600_000_000L;

  private final ConcurrentHistogram histogram = new ConcurrentHistogram(MOST_MICROS, 3);

  /** Records one. Negative values, which two clocks can give, are recorded as zero. */
  void add(long micros) {
    histogram.recordValue(Math.min(Math.max(micros, 0), MOST_MICROS));
  }

  void addNanos(long nanos) {
    add(nanos / 1_000);
  }

  long count() {
    return histogram.getTotalCount();
  }

  /** In milliseconds; 0 when there are none. */
  double millis(double percentile) {
    return count() == 0 ? 0 : histogram.getValueAtPercentile(percentile) / 1_000.0;
  }

  double mostMillis() {
    return millis(100);
  }

  /** The usual ones, each name behind {@code prefix}. */
  Map<String, Double> figures(String prefix) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(prefix + "p50_ms", millis(50));
    figures.put(prefix + "p95_ms", millis(95));
    figures.put(prefix + "p99_ms", millis(99));
    figures.put(prefix + "max_ms", mostMillis());
    return figures;
  }
}
