package dev.skipjack.benchmarks;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a stretch of {@link Pinned}, with and without low-water marks; for any number of
 * threads. A worker passes marks while the database is slow; then those without are its sweeps.
 */
final class PinnedClaims {

  private final Latencies all = new Latencies();
  private final Latencies marked = new Latencies();
  private final Latencies unmarked = new Latencies();

  /**
   * Notes a claim. One without marks counts among those whatever it took, because walking all that
   * is dead and finding nothing is the longest way; else a claim of nothing does not count.
   */
  void add(int jobs, boolean withMarks, long nanos) {
    if (!withMarks) {
      unmarked.addNanos(nanos);
    }
    if (jobs > 0) {
      all.addNanos(nanos);
      if (withMarks) {
        marked.addNanos(nanos);
      }
    }
  }

  /** Those that took something, with marks and without. */
  Latencies all() {
    return all;
  }

  /** Those with marks that took something. */
  Latencies marked() {
    return marked;
  }

  /** Those without marks, whatever they took. */
  Latencies unmarked() {
    return unmarked;
  }

  /** Those that are no sweeps: with marks, or all of them where no mark was in force. */
  Latencies usual() {
    return marked.count() > 0 ? marked : all;
  }

  /** For a row of the table; null for a percentile of none. */
  void into(Map<String, @Nullable Object> row) {
    row.put("claim_p50_ms", all.millis(50));
    row.put("claim_p99_ms", all.millis(99));
    row.put("marked", marked.count());
    row.put("marked_p99_ms", p99(marked));
    row.put("unmarked", unmarked.count());
    row.put("unmarked_p99_ms", p99(unmarked));
    row.put("unmarked_max_ms", unmarked.count() == 0 ? null : (Object) unmarked.mostMillis());
  }

  private static @Nullable Object p99(Latencies latencies) {
    return latencies.count() == 0 ? null : (Object) latencies.millis(99);
  }
}
