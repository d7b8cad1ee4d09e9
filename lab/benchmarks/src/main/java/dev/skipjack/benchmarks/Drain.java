package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the throughput of one worker on preloaded no-op jobs. The floor claims and completes the
 * same jobs with the same SQL from bare JDBC loops. It is the fastest combination of one or two
 * loops and batches of 100 or 500.
 */
final class Drain implements Benchmark {

  private static final int HANDLERS = 8;
  private static final double FIRST_GUESS = 10_000;

  @Override
  public String purpose() {
    return "preloaded no-op jobs through one worker, against a bare JDBC loop";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(
        Setting.JOBS,
        Setting.WORKERS,
        Setting.BATCH,
        Setting.SECONDS,
        Setting.RUNS,
        Setting.ARCHIVE);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    boolean archive = options.number(Setting.ARCHIVE, 0) == 1;
    double seconds = options.seconds(10);
    int handlers = options.count(Setting.WORKERS, HANDLERS);
    int prefetch = options.count(Setting.BATCH, WorkerConfig.defaults().prefetch());
    database.archive(archive, Noop.TYPE.queue());
    JobQueue queue = database.queue(8);
    List<Connection> connections = List.of(database.bareConnection(), database.bareConnection());
    try {
      for (Connection connection : connections) {
        connection.setAutoCommit(false);
      }
      Load worker = new Load(options, FIRST_GUESS);
      Costs cold =
          worker(database, queue, worker.jobs(seconds), handlers, prefetch, worker).costs();
      Load floor = new Load(options, FIRST_GUESS);
      Loops loops = fastest(database, options, seconds, connections, floor, notes);
      Rounds.Results results =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), seconds, notes)
              .variant(
                  "worker",
                  run -> worker(database, queue, worker.jobs(run), handlers, prefetch, worker))
              .variant(
                  "bare JDBC", run -> bare(database, connections, floor.jobs(run), loops, floor))
              .run();
      List<Sample> runs = results.of("worker");
      Report report = new Report("drain", "jobs/s");
      for (String figure : List.of("jobs_per_claim", "jobs_per_completion", "empty_claims")) {
        report.put(
            figure,
            Statistics.median(
                runs.stream().map(run -> run.figures().getOrDefault(figure, 0.0)).toList()));
      }
      return report
          .finding(results, "worker", "bare JDBC")
          .variants(results)
          .put("archive", archive ? "keep" : "none")
          .put("handlers", handlers)
          .put("prefetch", prefetch)
          .put("cold_client_cpu_us_per_job", cold.clientMicros())
          .put("cold_server_cpu_us_per_job", cold.serverMicros())
          .put("floor_batch", loops.batch)
          .put("floor_loops", loops.count);
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private record Loops(BareStatements statements, int batch, int count) {}

  private static Loops fastest(
      BenchmarkDatabase database,
      Options options,
      double seconds,
      List<Connection> connections,
      Load load,
      Consumer<String> notes)
      throws Exception {
    List<Integer> batches =
        options.has(Setting.BATCH) ? List.of(options.count(Setting.BATCH, 0)) : List.of(100, 500);
    @Nullable Loops fastest = null;
    double best = 0;
    database.empty();
    List<Loops> candidates = new ArrayList<>();
    for (int batch : batches) {
      BareStatements statements = BareStatements.capture(database, batch);
      candidates.add(new Loops(statements, batch, 1));
      candidates.add(new Loops(statements, batch, 2));
    }
    // The first run is slow, so it is discarded.
    for (int i = 0; i < options.warmUps(); i++) {
      bare(database, connections, load.jobs(seconds / 4), candidates.get(0), load);
    }
    for (Loops loops : candidates) {
      double rate = bare(database, connections, load.jobs(seconds / 4), loops, load).value();
      notes.accept(
          "floor with batches of %d and %d loops: %,.0f jobs/s"
              .formatted(loops.batch, loops.count, rate));
      if (fastest == null || rate > best) {
        fastest = loops;
        best = rate;
      }
    }
    if (fastest == null) {
      throw new IllegalStateException("There is no candidate for the floor.");
    }
    return fastest;
  }

  private static Sample worker(
      BenchmarkDatabase database, JobQueue queue, long jobs, int handlers, int prefetch, Load load)
      throws Exception {
    prepare(database, jobs);
    BatchSizes sizes = new BatchSizes();
    Sample sample =
        load.adjust(
            drain(
                database,
                TimedAccess.of(queue, sizes),
                jobs,
                handlers,
                WorkerConfig.builder().prefetch(prefetch).build()));
    check(database, jobs);
    return new Sample(sample.value(), sample.costs(), sizes.figures());
  }

  /** Starts a worker for the default queue and waits until it has completed {@code jobs} jobs. */
  static Sample drain(
      BenchmarkDatabase database, QueueAccess queue, long jobs, int handlers, WorkerConfig config)
      throws Exception {
    CompletionLatch latch = new CompletionLatch(jobs);
    Worker.Builder worker =
        Worker.on(queue)
            .name("bench")
            .config(config)
            .handle(Noop.TYPE, (payload, context) -> Outcome.completed())
            .queue(Noop.TYPE.queue(), handlers)
            .listener(latch);
    Meter meter = Meter.start(database);
    Worker started = worker.start();
    try {
      latch.await();
      return Sample.rate(jobs, meter.stop(jobs));
    } finally {
      started.close();
    }
  }

  private static Sample bare(
      BenchmarkDatabase database, List<Connection> connections, long jobs, Loops loops, Load load)
      throws Exception {
    prepare(database, jobs);
    AtomicLong left = new AtomicLong(jobs);
    Meter meter = Meter.start(database);
    Parallel.run(
        loops.count,
        number -> {
          while (left.get() > 0) {
            left.addAndGet(-loops.statements.claimAndComplete(connections.get(number)));
          }
        });
    Sample sample = load.adjust(Sample.rate(jobs, meter.stop(jobs)));
    check(database, jobs);
    return sample;
  }

  static void prepare(BenchmarkDatabase database, long jobs) throws SQLException {
    database.empty();
    database.preload(jobs, "'default'", Noop.TYPE.kind(), "0");
    database.settle();
  }

  static void check(BenchmarkDatabase database, long jobs) throws SQLException {
    long left = database.number("SELECT count(*) FROM @jobs");
    long succeeded =
        database.number("SELECT count(*) FROM @job_executions WHERE status = 'succeeded'");
    if (left != 0 || succeeded != jobs) {
      throw new IllegalStateException(
          "Of %d jobs, %d are left and %d succeeded.".formatted(jobs, left, succeeded));
    }
  }
}
