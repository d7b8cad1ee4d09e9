package dev.skipjack.benchmarks;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of {@link Pinned}.
 *
 * @param at seconds from the beginning of the phase to the end of the stretch
 * @param rate jobs completed a second
 * @param claims all claims that took something
 * @param unmarked those of them that looked at whole lanes: all of them while they are fast, the
 *     sweeps else
 * @param deadTuples of {@code jobs}, as the statistics know them
 */
record PinnedWindow(
    String phase,
    double at,
    double rate,
    Costs costs,
    Latencies claims,
    Latencies unmarked,
    Latencies bystander,
    long deadTuples) {

  private static final String DEAD_TUPLES =
      "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = '@jobs'::regclass";

  Map<String, @Nullable Object> row() {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("phase", phase);
    row.put("at_s", at);
    row.put("rate", rate);
    row.put("claim_p50_ms", claims.millis(50));
    row.put("claim_p99_ms", claims.millis(99));
    row.put("unmarked_p99_ms", unmarked.millis(99));
    row.put("server_cpu_us", costs.serverMicros());
    row.put("dead_tuples", deadTuples);
    row.put("bystander_p99_ms", bystander.millis(99));
    return row;
  }

  /** What is counted now; for any number of threads. */
  static final class Counters {

    private final AtomicLong completed = new AtomicLong();
    private volatile Latencies claims = new Latencies();
    private volatile Latencies unmarked = new Latencies();
    private volatile Latencies bystander = new Latencies();
    private volatile boolean stopped;

    /** Begins a stretch. */
    void next() {
      completed.set(0);
      claims = new Latencies();
      unmarked = new Latencies();
      bystander = new Latencies();
    }

    void completed() {
      completed.incrementAndGet();
    }

    void claimed(int jobs, boolean marked, long nanos) {
      if (jobs > 0) {
        claims.addNanos(nanos);
        if (!marked) {
          unmarked.addNanos(nanos);
        }
      }
    }

    void bystood(long nanos) {
      bystander.addNanos(nanos);
    }

    void stop() {
      stopped = true;
    }

    boolean isStopped() {
      return stopped;
    }

    /** The stretch that began with {@link #next}. */
    PinnedWindow window(String phase, long began, Meter meter, BenchmarkDatabase database)
        throws SQLException {
      long jobs = completed.get();
      Costs costs = meter.stop(jobs);
      return new PinnedWindow(
          phase,
          (System.nanoTime() - began) / 1e9,
          jobs / costs.seconds(),
          costs,
          claims,
          unmarked,
          bystander,
          database.number(DEAD_TUPLES));
    }
  }
}
