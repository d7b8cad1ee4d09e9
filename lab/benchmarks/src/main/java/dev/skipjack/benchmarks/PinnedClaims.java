package dev.skipjack.benchmarks;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The claims in an interval of {@link Pinned}, with and without low-water marks. A worker sends
 * marks only while the database is slow. During that time, claims without marks are its full
 * claims. Safe for any number of threads.
 */
final class PinnedClaims {

  private final Latencies all = new Latencies();
  private final Latencies marked = new Latencies();
  private final Latencies unmarked = new Latencies();

  /**
   * Records a claim. A claim that returned no jobs counts only if it had no marks. Claims without
   * marks take longest, because they read past all dead rows.
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

  /** Returns the claims that returned jobs, with marks and without. */
  Latencies all() {
    return all;
  }

  /** Returns the claims with marks that returned jobs. */
  Latencies marked() {
    return marked;
  }

  /** Returns all claims without marks. */
  Latencies unmarked() {
    return unmarked;
  }

  /**
   * Returns the claims other than full claims: those with marks, or all claims if none had a mark.
   */
  Latencies withoutFullClaims() {
    return marked.count() > 0 ? marked : all;
  }

  /**
   * Adds the columns of these claims to a row of the report. A percentile is null if there are no
   * claims.
   */
  void into(Map<String, @Nullable Object> row) {
    row.put("claim_p50_ms", all.millis(50));
    row.put("claim_p99_ms", all.millis(99));
    row.put("marked", marked.count());
    row.put("marked_p99_ms", p99(marked));
    row.put("unmarked", unmarked.count());
    row.put("unmarked_p99_ms", p99(unmarked));
    row.put("unmarked_max_ms", unmarked.count() == 0 ? null : (Object) unmarked.maxMillis());
  }

  private static @Nullable Object p99(Latencies latencies) {
    return latencies.count() == 0 ? null : (Object) latencies.millis(99);
  }
}
