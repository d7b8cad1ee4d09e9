package dev.skipjack.benchmarks;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobHandler;
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
 * A fixed load while another session holds a REPEATABLE READ transaction open that has read {@code
 * jobs} and {@code job_executions}, so that vacuum can remove nothing: first without it, then with
 * it. Every twentieth job fails once, a few take longer than a heartbeat.
 */
final class Pinned implements Benchmark {

  private static final int WINDOWS = 12;
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofMillis(1_500);
  private static final JobType<Noop> TYPE = Noop.TYPE.onQueue("pinned");

  @Override
  public String purpose() {
    return "a fixed load beside a long transaction, against itself without one";
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
    PinnedWindow.Counters counters = new PinnedWindow.Counters();
    Worker worker =
        Worker.on(new TimedAccess(queue, counters))
            .name("bench")
            .config(WorkerConfig.builder().heartbeatInterval(HEARTBEAT).build())
            .handle(TYPE, handler())
            .queue(TYPE.queue(), options.count(Setting.WORKERS, 16))
            .listener(counters)
            .start();
    Thread bystander = new Thread(() -> bystand(database, counters), "bench-bystander");
    bystander.setDaemon(true);
    bystander.start();
    List<PinnedWindow> unpinned;
    List<PinnedWindow> pinned;
    long backlog;
    try (Connection pin = database.bareConnection()) {
      load(database, queue, rate, Math.max(seconds / 12, 0.5), 1, counters, notes, "warm-up");
      unpinned = load(database, queue, rate, seconds / 4, WINDOWS / 4, counters, notes, "unpinned");
      pin(pin);
      pinned = load(database, queue, rate, seconds, WINDOWS, counters, notes, "pinned");
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

  private static JobHandler<Noop> handler() {
    return (payload, context) -> {
      if (payload.n() % 20 == 0 && context.attempt() == 1) {
        return Outcome.retry(Duration.ofMillis(100), "every twentieth fails once");
      }
      if (payload.n() % 1_000 == 1) {
        TimeUnit.NANOSECONDS.sleep(LONG.toNanos());
      }
      return Outcome.completed();
    };
  }

  /** Vacuum may remove nothing that this transaction could still see. */
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

  /** Looks up rows of a table that nobody else uses, twenty times a second. */
  private static void bystand(BenchmarkDatabase database, PinnedWindow.Counters counters) {
    String sql =
        BenchmarkDatabase.qualified(
            BenchmarkDatabase.SCHEMA, "SELECT name FROM @bystander WHERE id = ?");
    try (Connection connection = database.bareConnection();
        PreparedStatement query = connection.prepareStatement(sql)) {
      for (int id = 1; !counters.isStopped(); id = id % 10_000 + 1) {
        long begin = System.nanoTime();
        query.setInt(1, id);
        query.executeQuery().close();
        counters.bystood(System.nanoTime() - begin);
        TimeUnit.MILLISECONDS.sleep(50);
      }
    } catch (SQLException failed) {
      throw new IllegalStateException("The bystander's query failed.", failed);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<PinnedWindow> load(
      BenchmarkDatabase database,
      JobQueue queue,
      double rate,
      double seconds,
      int windows,
      PinnedWindow.Counters counters,
      Consumer<String> notes,
      String phase)
      throws Exception {
    List<PinnedWindow> seen = new ArrayList<>();
    Schedule schedule = new Schedule(rate);
    long sent = 0;
    counters.begin();
    for (int window = 1; window <= windows; window++) {
      counters.next();
      Meter meter = Meter.start(database);
      long end = Math.round(rate * seconds * window / windows);
      while (sent < end) {
        schedule.await(sent);
        // What is due by now goes in one call, as a busy producer would send it.
        long until = Math.min(Math.min(schedule.dueNow(), end), sent + 500);
        queue.enqueueAll(TYPE, LongStream.range(sent, until).mapToObj(Noop::number).toList());
        sent = until;
        TimeUnit.MILLISECONDS.sleep(5);
      }
      seen.add(counters.window(phase, schedule.due(0), meter, database));
      notes.accept(
          "%s %d of %d: %,.0f jobs/s"
              .formatted(phase, window, windows, seen.get(window - 1).rate()));
    }
    return seen;
  }

  private static Report report(
      List<PinnedWindow> unpinned, List<PinnedWindow> pinned, long backlog, double rate) {
    PinnedWindow first = pinned.get(0);
    PinnedWindow last = pinned.get(pinned.size() - 1);
    double without = Statistics.median(unpinned.stream().map(PinnedWindow::rate).toList());
    List<Sample> samples =
        pinned.stream().map(window -> new Sample(window.rate(), window.costs(), Map.of())).toList();
    Report report =
        new Report("pinned", "jobs/s")
            .finding(samples)
            .put("runs", 1)
            .put(
                "ratio",
                Statistics.median(pinned.stream().map(PinnedWindow::rate).toList()) / without)
            .put("floor", "the same unpinned")
            .put("floor_median", without)
            .put("offered_rate", rate)
            .put("start_rate", first.rate())
            .put("end_rate", last.rate())
            .put("start_p99_ms", first.claims().usual().millis(99))
            .put("end_p99_ms", last.claims().usual().millis(99))
            .put("start_all_claims_p99_ms", first.claims().all().millis(99))
            .put("end_all_claims_p99_ms", last.claims().all().millis(99))
            .put("marked_claims", count(pinned, PinnedClaims::marked))
            .put("unmarked_claims", count(pinned, PinnedClaims::unmarked))
            .put("slowest_unmarked_claim_ms", slowest(pinned))
            .put("start_server_cpu_us_per_job", first.costs().serverMicros())
            .put("end_server_cpu_us_per_job", last.costs().serverMicros())
            .put("start_bystander_p99_ms", first.bystander().millis(99))
            .put("end_bystander_p99_ms", last.bystander().millis(99))
            .put("backlog", backlog)
            .put("dead_tuples", last.deadTuples());
    unpinned.forEach(window -> report.row(window.row()));
    pinned.forEach(window -> report.row(window.row()));
    return report;
  }

  private static long count(List<PinnedWindow> windows, Function<PinnedClaims, Latencies> claims) {
    return windows.stream().mapToLong(window -> claims.apply(window.claims()).count()).sum();
  }

  private static double slowest(List<PinnedWindow> windows) {
    return windows.stream()
        .mapToDouble(window -> window.claims().unmarked().mostMillis())
        .max()
        .orElse(0);
  }
}
