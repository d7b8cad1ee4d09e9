package dev.skipjack.benchmarks;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The measurements in an interval of {@link Pinned}.
 *
 * @param at seconds from the start of the phase to the end of the interval
 * @param rate committed completions per second
 * @param listings durations of queries for the lanes with due jobs
 * @param deadTuples dead rows of {@code jobs}, according to the server's statistics
 */
record PinnedInterval(
    String phase,
    double at,
    double rate,
    Costs costs,
    PinnedClaims claims,
    Latencies listings,
    Latencies rescues,
    Latencies bystander,
    long deadTuples) {

  private static final String DEAD_TUPLES =
      "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = '@jobs'::regclass";

  /**
   * Returns the number of completed jobs per second in a whole phase, which consists of the given
   * intervals.
   */
  static double rateOf(List<PinnedInterval> phase) {
    double seconds = phase.stream().mapToDouble(interval -> interval.costs.seconds()).sum();
    double jobs =
        phase.stream().mapToDouble(interval -> interval.rate * interval.costs.seconds()).sum();
    if (jobs == 0) {
      throw new IllegalStateException(
          "No job was completed in %.1f s. Run longer: --seconds.".formatted(seconds));
    }
    return jobs / seconds;
  }

  Map<String, @Nullable Object> row() {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("phase", phase);
    row.put("at_s", at);
    row.put("rate", rate);
    claims.into(row);
    row.put("listing_p99_ms", listings.millis(99));
    row.put("rescue_p50_ms", rescues.millis(50));
    row.put("server_cpu_us", costs.serverMicros());
    row.put("dead_tuples", deadTuples);
    row.put("bystander_p99_ms", bystander.millis(99));
    return row;
  }

  /** The counters of the current interval. Any thread may count; one thread starts intervals. */
  static final class Counters implements WorkerListener, TimedAccess.CallListener {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final LongAdder completed = new LongAdder();
    private long beforePhase;
    private long before;
    private long since;
    private volatile PinnedClaims claims = new PinnedClaims();
    private volatile Latencies listings = new Latencies();
    private volatile Latencies rescues = new Latencies();
    private volatile Latencies bystander = new Latencies();
    private volatile boolean stopped;

    /** Starts a phase. Jobs completed earlier do not count in its intervals. */
    void beginPhase() {
      beforePhase = completed.sum();
      before = beforePhase;
      since = System.nanoTime();
    }

    /**
     * Waits until at least one job of the phase is completed, but for one minute at most. Without a
     * completed job, a short phase on a busy machine would have no rate.
     */
    void awaitCompletion() throws InterruptedException {
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (completed.sum() == beforePhase && System.nanoTime() < deadline) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }

    /** Starts an interval. */
    void beginInterval() {
      claims = new PinnedClaims();
      listings = new Latencies();
      rescues = new Latencies();
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

    @Override
    public void listed(long nanos) {
      listings.addNanos(nanos);
    }

    @Override
    public void rescued(long nanos) {
      rescues.addNanos(nanos);
    }

    /** Returns the number of jobs completed since the previous call or {@link #beginPhase}. */
    long completed() {
      long sum = completed.sum();
      long jobs = sum - before;
      before = sum;
      return jobs;
    }

    void bystanderQueried(long nanos) {
      bystander.addNanos(nanos);
    }

    void stop() {
      stopped = true;
    }

    boolean isStopped() {
      return stopped;
    }

    /** Ends the interval that {@link #beginInterval} started. */
    PinnedInterval endInterval(String phase, long began, Meter meter, BenchmarkDatabase database)
        throws SQLException {
      long jobs = completed();
      // The interval ends with this count; the queries below are part of the next one.
      long now = System.nanoTime();
      double seconds = (now - since) / 1e9;
      since = now;
      Costs costs = meter.stop(jobs);
      return new PinnedInterval(
          phase,
          (now - began) / 1e9,
          jobs / seconds,
          costs,
          claims,
          listings,
          rescues,
          bystander,
          database.number(DEAD_TUPLES));
    }
  }
}
