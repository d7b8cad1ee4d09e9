package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.WorkerConfig;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Compares draining a queue with a long history with draining in an empty schema. The history is in
 * the partitions that are written to, where its cost is highest.
 */
final class History implements Benchmark {

  private static final String EMPTY = BenchmarkDatabase.SCHEMA + "_empty";
  private static final long CHUNK = 500_000;
  private static final int HANDLERS = 8;
  private static final double FIRST_GUESS = 5_000;

  @Override
  public String purpose() {
    return "draining with millions of ended jobs, against an empty database";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.SECONDS, Setting.RUNS, Setting.WORKERS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long history = options.number(Setting.JOBS, 10_000_000);
    int handlers = options.count(Setting.WORKERS, HANDLERS);
    database.archive(true, Noop.TYPE.queue());
    database.empty();
    fill(database, history, notes);
    database.create(EMPTY);
    DataSource pool = database.pool(8);
    Rounds.Results results =
        new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(10), notes)
            .variant(
                "history", variant(database, pool, BenchmarkDatabase.SCHEMA, handlers, history))
            .variant("empty", variant(database, pool, EMPTY, handlers, history))
            .run();
    return new Report("history", "jobs/s")
        .finding(results, "history", "empty")
        .variants(results)
        .put("archived", history)
        .put("handlers", handlers);
  }

  private static void fill(BenchmarkDatabase database, long history, Consumer<String> notes)
      throws SQLException {
    for (long first = 1; first <= history; first += CHUNK) {
      long last = Math.min(first + CHUNK - 1, history);
      String numbers = " FROM generate_series(%d, %d) AS n".formatted(first, last);
      database.inSchema(
          "INSERT INTO @job_executions (id, job_id, started_at, finished_at, attempt, status, queue, kind, worker_id)"
              + " SELECT n, n, clock_timestamp(), clock_timestamp(), 1, 'succeeded', 'default', 'noop', 'bench'"
              + numbers,
          "INSERT INTO @jobs_archive (id, status, queue, kind, payload, payload_version, priority, scheduled_at,"
              + " created_at, started_at, attempts, uncounted_attempts, max_attempts, execution_id, worker_id)"
              + " SELECT n, 'completed', 'default', 'noop', jsonb_build_object('n', n, 'text', repeat('x', 80)), 1, 0,"
              + " now(), now(), now(), 1, 0, 25, n, 'bench'"
              + numbers);
      notes.accept("%,d of %,d ended jobs written".formatted(last, history));
    }
    database.inSchema(
        "SELECT setval('@jobs_id_seq', "
            + history
            + "), setval('@job_execution_id_seq', "
            + history
            + ")",
        "VACUUM ANALYZE @job_executions",
        "VACUUM ANALYZE @jobs_archive");
  }

  private static Rounds.Variant variant(
      BenchmarkDatabase database, DataSource pool, String schema, int handlers, long maxJobs) {
    JobQueue queue = database.queue(pool, schema);
    double[] rate = {FIRST_GUESS};
    return seconds -> {
      long jobs = Math.min(maxJobs, Math.max(100, Math.round(rate[0] * seconds)));
      long before = succeeded(database, schema);
      database.preload(schema, jobs, "'default'", Noop.TYPE.kind(), "0");
      database.settle(schema);
      Sample sample = Drain.drain(database, queue, jobs, handlers, WorkerConfig.defaults());
      rate[0] = sample.value();
      long more = succeeded(database, schema) - before;
      if (more != jobs) {
        throw new IllegalStateException("Of %d jobs, %d succeeded.".formatted(jobs, more));
      }
      if (schema.equals(EMPTY)) {
        database.empty(schema);
      }
      return sample;
    };
  }

  private static long succeeded(BenchmarkDatabase database, String schema) throws SQLException {
    return Long.parseLong(
        database.value(
            BenchmarkDatabase.qualified(
                schema, "SELECT count(*) FROM @job_executions WHERE status = 'succeeded'")));
  }
}
