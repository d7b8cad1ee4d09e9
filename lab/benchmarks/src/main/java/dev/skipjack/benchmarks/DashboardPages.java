package dev.skipjack.benchmarks;

import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.dashboard.Access;
import dev.skipjack.dashboard.Dashboard;
import dev.skipjack.dashboard.Role;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.WorkerConfig;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Measures the pages of the dashboard beside large tables: how long they take, the statements that
 * all viewers together cause, and the throughput that a worker loses because of them. The dashboard
 * runs in the worker's JVM, and is called without HTTP.
 */
final class DashboardPages implements Benchmark {

  private static final int HANDLERS = 8;
  private static final int QUEUES = 20;
  private static final int DAYS = 30;
  private static final long CHUNK = 1_000_000;
  private static final double FIRST_GUESS = 5_000;

  private static final double MAX_P50 = 30;
  private static final double MAX_P99 = 200;
  private static final double MAX_STATEMENTS = 5;
  private static final double MAX_LOSS = 3;

  @Override
  public String purpose() {
    return "the dashboard's pages beside millions of jobs, and what they cost a worker";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.WORKERS, Setting.SECONDS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long pending = options.number(Setting.JOBS, 1_000_000);
    int viewers = options.count(Setting.WORKERS, 20);
    double seconds = options.seconds(20);
    fill(database, pending, notes);
    JobQueue worker = database.queue(HANDLERS);
    StatementCounter counter = new StatementCounter();
    JobQueue seen = database.queue(counter.counting(database.pool(4)), BenchmarkDatabase.SCHEMA);
    try (Dashboard dashboard =
        Dashboard.on(seen)
            .access(request -> Optional.of(Access.of("bench", Role.ADMIN).payloads(true)))
            .build()) {
      List<Viewers.Page> pages = pages(dashboard, seen);
      double pause = Math.min(seconds, 10) * options.warmUps();
      Viewers.Seen unseen = new Viewers.Seen();
      double warmed =
          Viewers.during(dashboard, viewers, pages, unseen, () -> statements(counter, pause));
      notes.accept(
          "%d viewers of %d pages: %.1f statements/s at first"
              .formatted(viewers, pages.size(), warmed));
      Viewers.Seen idle = new Viewers.Seen();
      double statements =
          Viewers.during(dashboard, viewers, pages, idle, () -> statements(counter, 2 * seconds));
      Viewers.Seen busy = new Viewers.Seen();
      Rounds.Results results =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 5), seconds, notes)
              .variant(
                  "with viewers",
                  drains(
                      database,
                      worker,
                      drain -> Viewers.during(dashboard, viewers, pages, busy, drain)))
              .variant("without viewers", drains(database, worker, Callable::call))
              .run();
      return report(results, idle, busy, statements)
          .put("pending", pending)
          .put("archived", 10 * pending)
          .put("dead", pending / 10)
          .put("viewers", viewers);
    }
  }

  private static Report report(
      Rounds.Results results, Viewers.Seen idle, Viewers.Seen busy, double statements) {
    Report report =
        new Report("dashboard", "jobs/s").finding(results, "with viewers", "without viewers");
    double lost = 100 * (1 - Statistics.median(results.ratios("with viewers", "without viewers")));
    idle.pages().forEach((page, latencies) -> report.row(row(page, latencies)));
    return report
        .put("p50_ms", idle.all().millis(50))
        .put("p99_ms", idle.all().millis(99))
        .put("busy_p50_ms", busy.all().millis(50))
        .put("busy_p99_ms", busy.all().millis(99))
        .put("statements_per_s", statements)
        .put("lost_percent", lost)
        .put("degraded_responses", idle.degraded() + busy.degraded())
        .put(
            "reached",
            idle.all().millis(50) <= MAX_P50
                && idle.all().millis(99) <= MAX_P99
                && statements <= MAX_STATEMENTS
                && lost <= MAX_LOSS
                && idle.degraded() == 0);
  }

  private static Map<String, Object> row(String page, Latencies latencies) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("page", page);
    row.put("requests", latencies.count());
    row.put("p50_ms", latencies.millis(50));
    row.put("p99_ms", latencies.millis(99));
    return row;
  }

  /** Returns the statements per second within a time. */
  private static double statements(StatementCounter counter, double seconds)
      throws InterruptedException {
    long before = counter.statements();
    TimeUnit.NANOSECONDS.sleep(Math.round(seconds * 1e9));
    return (counter.statements() - before) / seconds;
  }

  /** What goes on during a drain. */
  private interface Surroundings {
    Sample during(Callable<Sample> drain) throws Exception;
  }

  /** Returns runs that drain the default queue, whose jobs are inserted before each of them. */
  private static Rounds.Variant drains(
      BenchmarkDatabase database, JobQueue queue, Surroundings surroundings) {
    double[] rate = {FIRST_GUESS};
    return seconds -> {
      long jobs = Math.max(100, Math.round(rate[0] * seconds));
      database.preload(jobs, "'default'", Noop.TYPE.kind(), "0");
      database.settle();
      Sample sample =
          surroundings.during(
              () -> Drain.drain(database, queue, jobs, HANDLERS, WorkerConfig.defaults()));
      rate[0] = sample.value();
      return sample;
    };
  }

  /** Returns the pages of the navigation, and those that they lead to. */
  private static List<Viewers.Page> pages(Dashboard dashboard, JobQueue queue) {
    List<Viewers.Page> pages = new ArrayList<>(Viewers.navigation(dashboard));
    pages.add(new Viewers.Page("/queue", Map.of("name", List.of("q3"))));
    pages.add(new Viewers.Page("/minutes", Map.of("last", List.of("24h"))));
    pages.add(new Viewers.Page("/jobs", Map.of("q", List.of("status:dead queue:q3"))));
    pages.add(new Viewers.Page("/jobs", Map.of("q", List.of("queue:q3 kind:kind-3 tag:none"))));
    pages.add(new Viewers.Page("/jobs", Map.of("q", List.of("status:completed queue:q3"))));
    for (JobQuery query : List.of(JobQuery.pending("q3"), JobQuery.archived())) {
      pages.add(
          new Viewers.Page(
              "/jobs/" + queue.reader().list(query.limit(1)).jobs().get(0).id(), Map.of()));
    }
    return pages;
  }

  /** Fills the tables: for each pending job 10 archived ones, and a dead one for each 10. */
  private static void fill(BenchmarkDatabase database, long pending, Consumer<String> notes)
      throws SQLException {
    database.archive(true, Noop.TYPE.queue());
    database.empty();
    database.inSchema(
        "TRUNCATE @job_minutes, @job_depths",
        "SELECT @create_partition('jobs_archive', now() - n * interval '1 day'),"
            + " @create_partition('job_executions', now() - n * interval '1 day')"
            + " FROM generate_series(1, %d) AS n".formatted(DAYS - 1));
    String payload = "jsonb_build_object('n', n, 'text', repeat('x', 80))";
    database.inSchema(
        "INSERT INTO @jobs (queue, kind, priority, scheduled_at, payload) SELECT 'q' || n %% %d, 'kind-' || n %% 7, 0, clock_timestamp() - n %% 3600 * interval '1 s', %s FROM generate_series(1, %d) AS n"
            .formatted(QUEUES, payload, pending));
    notes.accept("%,d pending jobs written".formatted(pending));
    database.inSchema(
        "INSERT INTO @jobs (queue, kind, status, died_at, started_at, attempts, last_error, last_error_class, payload) SELECT 'q' || n %% %d, 'kind-' || n %% 7, 'dead', clock_timestamp() - n %% 86400 * interval '1 s', now(), 25, 'Order ' || n || ' was not found by system ' || n %% 9, 'java.lang.IllegalStateException', %s FROM generate_series(1, %d) AS n"
            .formatted(QUEUES, payload, pending / 10));
    for (long first = 1; first <= 10 * pending; first += CHUNK) {
      long last = Math.min(first + CHUNK - 1, 10 * pending);
      database.inSchema(
          "INSERT INTO @jobs_archive (id, finished_at, status, queue, kind, payload, payload_version, priority, scheduled_at,"
              + " created_at, started_at, attempts, uncounted_attempts, max_attempts, execution_id, worker_id)"
              + " SELECT %d + n, now() - n * interval '%d s' / %d, 'completed', 'q' || n %% %d, 'kind-' || n %% 7, %s, 1, 0, now(), now(), now(), 1, 0, 25, n, 'bench'"
                  .formatted(
                      2 * pending, TimeUnit.DAYS.toSeconds(DAYS - 2), 10 * pending, QUEUES, payload)
              + " FROM generate_series(%d, %d) AS n".formatted(first, last));
      notes.accept("%,d of %,d archived jobs written".formatted(last, 10 * pending));
    }
    database.inSchema(
        "INSERT INTO @job_executions (id, job_id, started_at, finished_at, attempt, status, queue, kind, worker_id)"
            + " SELECT n, %d + n, now() - n * interval '1 s', now() - n * interval '1 s', 1, 'succeeded', 'q' || n %% %d, 'kind-' || n %% 7, 'bench' FROM generate_series(1, least(%d, 1000000)) AS n"
                .formatted(2 * pending, QUEUES, 10 * pending),
        "INSERT INTO @job_minutes SELECT date_trunc('minute', now()) - n / %1$d * interval '1 minute', 'q' || n %% %1$d, 'kind-' || n %% 7, 'bench', 50, 2, 1, 0, 0, 0, '{1,5,9,9,9,9,5,2,1}', '{1,5,9,9,9,9,5,2,1}' FROM generate_series(0, %1$d * 1440 * 2 - 1) AS n"
            .formatted(QUEUES),
        "INSERT INTO @job_depths SELECT date_trunc('minute', now()) - n / %1$d * interval '1 minute', 'q' || n %% %1$d, %2$d, 1, 0, %3$d FROM generate_series(0, %1$d * 1440 * 2 - 1) AS n"
            .formatted(QUEUES, pending / QUEUES, pending / 10 / QUEUES),
        "SELECT setval('@jobs_id_seq', %d), setval('@job_execution_id_seq', %d)"
            .formatted(13 * pending, 13 * pending),
        "VACUUM ANALYZE @jobs_archive",
        "VACUUM ANALYZE @job_executions",
        "VACUUM ANALYZE @job_minutes",
        "VACUUM ANALYZE @job_depths");
  }
}
