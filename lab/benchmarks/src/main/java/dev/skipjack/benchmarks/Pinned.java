package dev.skipjack.benchmarks;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;

/**
 * Runs a fixed load, first alone and then while vacuum cannot remove dead rows, because another
 * session holds a REPEATABLE READ transaction that has read {@code jobs} and {@code
 * job_executions}. Every twentieth job fails once, and every thousandth runs longer than a
 * heartbeat interval.
 */
final class Pinned implements Benchmark {

  private static final int INTERVALS = 12;
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);
  private static final Duration LONG_RUN = Duration.ofMillis(1_500);
  private static final JobType<Noop> TYPE = Noop.TYPE.onQueue("pinned");

  @Override
  public String purpose() {
    return "a fixed load during a long transaction, against the same load without one";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.RATE, Setting.SECONDS, Setting.WORKERS, Setting.ARCHIVE);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    double rate = options.number(Setting.RATE, 3_000);
    double seconds = options.seconds(120);
    database.archive(options.number(Setting.ARCHIVE, 1) == 1, TYPE.queue());
    database.empty();
    database.settle();
    database.inSchema(
        "DROP TABLE IF EXISTS @bystander",
        "CREATE TABLE @bystander AS SELECT n AS id, n::text AS name FROM generate_series(1, 10000) AS n",
        "CREATE UNIQUE INDEX ON @bystander (id)",
        "VACUUM ANALYZE @bystander");
    JobQueue queue = database.queue(12);
    PinnedInterval.Counters counters = new PinnedInterval.Counters();
    Worker worker =
        Worker.on(TimedAccess.of(queue, counters))
            .name("bench")
            .config(WorkerConfig.builder().heartbeatInterval(HEARTBEAT).build())
            .handle(TYPE, handler())
            .queue(TYPE.queue(), options.count(Setting.WORKERS, 16))
            .listener(counters)
            .start();
    Thread bystander = new Thread(() -> queryAsBystander(database, counters), "bench-bystander");
    bystander.setDaemon(true);
    bystander.start();
    List<PinnedInterval> unpinned;
    List<PinnedInterval> pinned;
    long backlog;
    try (Connection pin = database.bareConnection()) {
      load(database, queue, rate, Math.max(seconds / 12, 0.5), 1, counters, notes, "warm-up");
      unpinned =
          load(database, queue, rate, seconds / 4, INTERVALS / 4, counters, notes, "unpinned");
      pin(pin);
      pinned = load(database, queue, rate, seconds, INTERVALS, counters, notes, "pinned");
      backlog =
          database.number(
              "SELECT count(*) FROM @jobs WHERE status = 'pending' AND scheduled_at <= now()");
      pin.rollback();
    } finally {
      counters.stop();
      bystander.join();
      worker.close();
    }
    return report(unpinned, pinned, backlog, rate);
  }

  private static Handler<Noop> handler() {
    return (payload, context) -> {
      if (payload.n() % 20 == 0 && context.attempt() == 1) {
        return Outcome.retry(Duration.ofMillis(100), "every twentieth job fails once");
      }
      if (payload.n() % 1_000 == 1) {
        TimeUnit.NANOSECONDS.sleep(LONG_RUN.toNanos());
      }
      return Outcome.completed();
    };
  }

  /**
   * Opens a transaction that prevents vacuum from removing any row that the transaction may still
   * read.
   */
  private static void pin(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          BenchmarkDatabase.qualified(
              BenchmarkDatabase.SCHEMA,
              "SELECT (SELECT count(*) FROM @jobs), (SELECT count(*) FROM @job_executions)"));
    }
  }

  /** Reads a row by its key twenty times a second, from a table that no other session uses. */
  private static void queryAsBystander(
      BenchmarkDatabase database, PinnedInterval.Counters counters) {
    String sql =
        BenchmarkDatabase.qualified(
            BenchmarkDatabase.SCHEMA, "SELECT name FROM @bystander WHERE id = ?");
    try (Connection connection = database.bareConnection();
        PreparedStatement query = connection.prepareStatement(sql)) {
      for (int id = 1; !counters.isStopped(); id = id % 10_000 + 1) {
        long begin = System.nanoTime();
        query.setInt(1, id);
        query.executeQuery().close();
        counters.bystanderQueried(System.nanoTime() - begin);
        TimeUnit.MILLISECONDS.sleep(50);
      }
    } catch (SQLException failed) {
      throw new IllegalStateException("The bystander's query failed.", failed);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<PinnedInterval> load(
      BenchmarkDatabase database,
      JobQueue queue,
      double rate,
      double seconds,
      int intervals,
      PinnedInterval.Counters counters,
      Consumer<String> notes,
      String phase)
      throws Exception {
    List<PinnedInterval> measured = new ArrayList<>();
    Schedule schedule = new Schedule(rate);
    long sent = 0;
    counters.beginPhase();
    for (int interval = 1; interval <= intervals; interval++) {
      counters.beginInterval();
      Meter meter = Meter.start(database);
      long end = Math.round(rate * seconds * interval / intervals);
      while (sent < end) {
        schedule.await(sent);
        // Like a busy producer, enqueue everything that is due with one call.
        long until = Math.min(Math.min(schedule.dueCount(), end), sent + 500);
        queue.enqueueAll(TYPE, LongStream.range(sent, until).mapToObj(Noop::number).toList());
        sent = until;
        TimeUnit.MILLISECONDS.sleep(5);
      }
      if (interval == intervals) {
        counters.awaitCompletion();
      }
      measured.add(counters.endInterval(phase, schedule.due(0), meter, database));
      notes.accept(
          "%s %d of %d: %,.0f jobs/s"
              .formatted(phase, interval, intervals, measured.get(interval - 1).rate()));
    }
    return measured;
  }

  private static Report report(
      List<PinnedInterval> unpinned, List<PinnedInterval> pinned, long backlog, double rate) {
    PinnedInterval first = pinned.get(0);
    PinnedInterval last = pinned.get(pinned.size() - 1);
    double without = PinnedInterval.rateOf(unpinned);
    List<Sample> samples =
        pinned.stream()
            .map(interval -> new Sample(interval.rate(), interval.costs(), Map.of()))
            .toList();
    Report report =
        new Report("pinned", "jobs/s")
            .finding(samples)
            .put("runs", 1)
            .put("ratio", PinnedInterval.rateOf(pinned) / without)
            .put("floor", "the same unpinned")
            .put("floor_median", without)
            .put("offered_rate", rate)
            .put("start_rate", first.rate())
            .put("end_rate", last.rate())
            .put("start_p99_ms", first.claims().withoutFullClaims().millis(99))
            .put("end_p99_ms", last.claims().withoutFullClaims().millis(99))
            .put("start_all_claims_p99_ms", first.claims().all().millis(99))
            .put("end_all_claims_p99_ms", last.claims().all().millis(99))
            .put("marked_claims", count(pinned, PinnedClaims::marked))
            .put("unmarked_claims", count(pinned, PinnedClaims::unmarked))
            .put("slowest_unmarked_claim_ms", slowest(pinned))
            .put("start_server_cpu_us_per_job", first.costs().serverMicros())
            .put("end_server_cpu_us_per_job", last.costs().serverMicros())
            .put("start_listing_p99_ms", first.listings().millis(99))
            .put("end_listing_p99_ms", last.listings().millis(99))
            .put("start_rescue_p50_ms", first.rescues().millis(50))
            .put("end_rescue_p50_ms", last.rescues().millis(50))
            .put("start_bystander_p99_ms", first.bystander().millis(99))
            .put("end_bystander_p99_ms", last.bystander().millis(99))
            .put("backlog", backlog)
            .put("dead_tuples", last.deadTuples());
    unpinned.forEach(interval -> report.row(interval.row()));
    pinned.forEach(interval -> report.row(interval.row()));
    return report;
  }

  private static long count(
      List<PinnedInterval> intervals, Function<PinnedClaims, Latencies> claims) {
    return intervals.stream().mapToLong(interval -> claims.apply(interval.claims()).count()).sum();
  }

  private static double slowest(List<PinnedInterval> intervals) {
    return intervals.stream()
        .mapToDouble(interval -> interval.claims().unmarked().maxMillis())
        .max()
        .orElse(0);
  }
}
