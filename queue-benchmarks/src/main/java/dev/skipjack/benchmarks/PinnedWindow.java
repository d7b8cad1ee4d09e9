package dev.skipjack.benchmarks;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of {@link Pinned}.
 *
 * @param at seconds from the beginning of the phase to the end of the stretch
 * @param rate jobs whose completion was committed, a second
 * @param deadTuples of {@code jobs}, as the statistics know them
 */
record PinnedWindow(
    String phase,
    double at,
    double rate,
    Costs costs,
    PinnedClaims claims,
    Latencies bystander,
    long deadTuples) {

  private static final String DEAD_TUPLES =
      "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = '@jobs'::regclass";

  Map<String, @Nullable Object> row() {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("phase", phase);
    row.put("at_s", at);
    row.put("rate", rate);
    claims.into(row);
    row.put("server_cpu_us", costs.serverMicros());
    row.put("dead_tuples", deadTuples);
    row.put("bystander_p99_ms", bystander.millis(99));
    return row;
  }

  /** What is counted now. Any number of threads may tell of something, one begins and ends. */
  static final class Counters implements WorkerListener, TimedAccess.Calls {

    private final LongAdder completed = new LongAdder();
    private long before;
    private long since;
    private volatile PinnedClaims claims = new PinnedClaims();
    private volatile Latencies bystander = new Latencies();
    private volatile boolean stopped;

    /** Begins a phase: what was completed before is of none of its stretches. */
    void begin() {
      before = completed.sum();
      since = System.nanoTime();
    }

    /** Begins a stretch. */
    void next() {
      claims = new PinnedClaims();
      bystander = new Latencies();
    }

    @Override
    public void on(WorkerEvent event) {
      if (event instanceof WorkerEvent.Succeeded) {
        completed.increment();
      }
    }

    @Override
    public void claimed(int jobs, boolean marked, long nanos) {
      claims.add(jobs, marked, nanos);
    }

    /** Jobs completed since the call before, or since {@link #begin}; of one thread. */
    long completed() {
      long sum = completed.sum();
      long jobs = sum - before;
      before = sum;
      return jobs;
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
      long jobs = completed();
      // To the moment of the count: the rest takes its time too, which is of the next stretch.
      long now = System.nanoTime();
      double seconds = (now - since) / 1e9;
      since = now;
      Costs costs = meter.stop(jobs);
      return new PinnedWindow(
          phase,
          (now - began) / 1e9,
          jobs / seconds,
          costs,
          claims,
          bystander,
          database.number(DEAD_TUPLES));
    }
  }
}
