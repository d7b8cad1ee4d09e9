package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.LimitProgram.Way;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures limits and fair queues over several worker processes. All limits are exact: if more jobs
 * run at the same time than allowed, according to the audit, the benchmark fails.
 *
 * <p>The first part drains no-op jobs of 500 groups, without prefetch, from a queue without a
 * limit, from a fair one, and from queues with limits. The second part measures the share of a
 * limit that is in use while jobs of 50 ms run: with the worker, and with two ways to hold the
 * limit in bare loops.
 */
final class Limits implements Benchmark {

  /** The limit of the measured queue. */
  static final String LIMIT = "bench";

  private static final int PROCESSES = 8;

  private static final int GROUPS = 500;
  private static final int PER_GROUP = 2;
  private static final int OF_ALL = 50;

  private static final int SMALL = 10;
  private static final int LARGE = 500;
  private static final int LARGE_PROCESSES = 2;

  private static final int WORK_MILLIS = 50;

  /** The time for the workers to start listening for wake-ups, before the jobs may run. */
  private static final long LISTENING_MILLIS = 500;

  /** The settings of the measured queue. */
  private record Case(
      String name, boolean fair, @Nullable Integer ofAll, @Nullable Integer perGroup) {

    static final Case PLAIN = new Case("no limit", false, null, null);
    static final Case FAIR = new Case("fair", true, null, null);

    static Case ofAll(int most) {
      return new Case("limit of " + most, false, most, null);
    }

    static final Case PER_GROUP_CASE = new Case("limit per group", false, null, PER_GROUP);

    void apply(BenchmarkDatabase database) throws SQLException {
      boolean limited = ofAll != null || perGroup != null;
      database.inSchema(
          "DELETE FROM @job_queues WHERE queue = '" + Noop.TYPE.queue() + "'",
          "DELETE FROM @job_limits",
          "INSERT INTO @job_limits (name, max_running, max_running_per_group) VALUES ('%s', %s, %s)"
              .formatted(LIMIT, ofAll, perGroup),
          "INSERT INTO @job_queues (queue, fair, limit_name, archive_retention) VALUES ('%s', %s, %s, '0')"
              .formatted(Noop.TYPE.queue(), fair, limited ? "'" + LIMIT + "'" : "NULL"));
    }

    /** Fails if more jobs ran at the same time than allowed. */
    void check(BenchmarkDatabase database) throws SQLException {
      check("jobs", ofAll, most(database, ""));
      check("jobs of a group", perGroup, most(database, "PARTITION BY group_key"));
    }

    private static void check(String what, @Nullable Integer allowed, long most) {
      if (allowed != null && most > allowed) {
        throw new IllegalStateException(
            "%d %s ran at the same time, but the limit is %d.".formatted(most, what, allowed));
      }
    }
  }

  @Override
  public String purpose() {
    return "limits and fair queues over several worker processes";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.WORKERS, Setting.SECONDS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, 30_000);
    int most = options.count(Setting.WORKERS, PROCESSES);
    double seconds = options.seconds(8);
    int runs = options.count(Setting.RUNS, 3);
    JobQueue queue = database.queue(1);
    List<WorkerProcess> workers = new ArrayList<>();
    List<JavaProcess> loops = new ArrayList<>();
    try {
      for (int i = 0; i < most; i++) {
        workers.add(new WorkerProcess(database));
        loops.add(new JavaProcess(LimitProgram.class, database));
      }
      Rounds drains = new Rounds(options.warmUps(), runs, 0, notes);
      Case many = Case.ofAll(OF_ALL);
      for (Case each : List.of(Case.PLAIN, Case.FAIR, many, Case.PER_GROUP_CASE)) {
        drains.variant(
            each.name + ", small", run -> drain(database, queue, workers, SMALL, jobs, each));
      }
      List<WorkerProcess> few = workers.subList(0, Math.min(LARGE_PROCESSES, most));
      Case large = Case.ofAll(LARGE * LARGE_PROCESSES);
      for (Case each : List.of(Case.PLAIN, Case.FAIR, large, Case.PER_GROUP_CASE)) {
        drains.variant(
            each.name + ", large", run -> drain(database, queue, few, LARGE, jobs, each));
      }
      Rounds.Results drained = drains.run();
      Rounds.Results used = used(database, workers, loops, options, seconds, runs, notes);
      PermitRows.drop(database);
      String limited = many.name + ", small";
      String floor = Case.PLAIN.name + ", small";
      String largeFloor = Case.PLAIN.name + ", large";
      Report report =
          new Report("limits", "jobs/s")
              .finding(drained, limited, floor)
              .put("jobs", jobs)
              .put("groups", GROUPS)
              .put("per_group_ratio", ratio(drained, Case.PER_GROUP_CASE.name + ", small", floor))
              .put("fair_ratio", ratio(drained, Case.FAIR.name + ", small", floor))
              .put("large_ratio", ratio(drained, large.name + ", large", largeFloor))
              .put(
                  "large_per_group_ratio",
                  ratio(drained, Case.PER_GROUP_CASE.name + ", large", largeFloor))
              .put("large_fair_ratio", ratio(drained, Case.FAIR.name + ", large", largeFloor));
      for (String way : List.of("worker", name(Way.LOCK_AND_COUNT), name(Way.PERMIT_ROWS))) {
        report.put(
            way.replace(' ', '_') + "_used", least(used, way)); // of all numbers of processes
      }
      drained.samples().forEach(report::row);
      used.samples().forEach((name, samples) -> report.row(row(name, samples)));
      return report;
    } finally {
      workers.forEach(WorkerProcess::close);
      loops.forEach(JavaProcess::close);
    }
  }

  private static double ratio(Rounds.Results results, String variant, String floor) {
    return Statistics.median(results.ratios(variant, floor));
  }

  /** Returns the lowest median of the used share among the numbers of processes. */
  private static double least(Rounds.Results used, String way) {
    return used.samples().entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(way))
        .mapToDouble(entry -> Statistics.median(shares(entry.getValue())))
        .min()
        .orElse(0);
  }

  private static List<Double> shares(List<Sample> samples) {
    return samples.stream()
        .map(sample -> Objects.requireNonNull(sample.figures().get("used")))
        .toList();
  }

  private static Map<String, @Nullable Object> row(String name, List<Sample> samples) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    List<Double> values = samples.stream().map(Sample::value).toList();
    row.put("way", name);
    row.put("median", Statistics.median(values));
    row.put("least", Statistics.min(values));
    row.put("most", Statistics.max(values));
    row.put("server_cpu_us", Report.median(samples, Costs::serverMicros));
    row.put("wal_bytes", Report.median(samples, Costs::walBytes));
    row.putAll(Latency.figures(samples));
    return row;
  }

  private static String name(Way way) {
    return way == Way.LOCK_AND_COUNT ? "lock and count" : "permit rows";
  }

  /** Inserts due jobs, which are spread over the groups. */
  private static void preload(BenchmarkDatabase database, long jobs) throws SQLException {
    database.empty();
    database.inSchema(
        "INSERT INTO @jobs (queue, kind, group_key, payload) SELECT '%s', '%s', 'tenant ' || n %% %d, jsonb_build_object('n', n, 'text', repeat('x', 80)) FROM generate_series(1, %d) AS n"
            .formatted(Noop.TYPE.queue(), Noop.TYPE.kind(), GROUPS, jobs));
    database.settle();
  }

  /** Starts a worker in each process and waits until they have completed no-op jobs. */
  private static Sample drain(
      BenchmarkDatabase database,
      JobQueue queue,
      List<WorkerProcess> processes,
      int handlers,
      long jobs,
      Case settings)
      throws Exception {
    settings.apply(database);
    queue.admin().pause(Noop.TYPE.queue());
    preload(database, jobs - 1);
    CompletionLatch latch = new CompletionLatch(jobs);
    List<WorkerProcess.Running> running = new ArrayList<>();
    for (WorkerProcess process : processes) {
      running.add(process.start(handlers, 0, 0, latch));
    }
    Thread.sleep(LISTENING_MILLIS);
    Meter meter = Meter.start(database);
    Duration cpu = Processes.cpu(processes);
    queue.admin().resume(Noop.TYPE.queue());
    queue.enqueue(Noop.TYPE, Noop.number(jobs)); // wakes all workers
    latch.await();
    Costs costs = meter.stop(jobs);
    double client = Processes.cpu(processes).minus(cpu).toNanos() / 1_000.0 / jobs;
    for (WorkerProcess.Running worker : running) {
      worker.stop();
    }
    Drain.check(database, jobs);
    settings.check(database);
    return new Sample(
        jobs / costs.seconds(),
        new Costs(costs.seconds(), costs.serverMicros(), client, costs.walBytes()),
        Map.of());
  }

  private static Rounds.Results used(
      BenchmarkDatabase database,
      List<WorkerProcess> workers,
      List<JavaProcess> loops,
      Options options,
      double seconds,
      int runs,
      Consumer<String> notes)
      throws Exception {
    Rounds rounds = new Rounds(options.warmUps(), runs, seconds, notes);
    for (int count = 1; count <= workers.size(); count *= 2) {
      int processes = count;
      String suffix = count == 1 ? ", 1 process" : ", %d processes".formatted(count);
      rounds.variant("worker" + suffix, run -> used(database, workers.subList(0, processes), run));
      for (Way way : Way.values()) {
        rounds.variant(
            name(way) + suffix, run -> used(database, loops.subList(0, processes), way, run));
      }
    }
    return rounds.run();
  }

  /** Measures how much of the limit workers use. */
  private static Sample used(
      BenchmarkDatabase database, List<WorkerProcess> processes, double seconds) throws Exception {
    Case settings = Case.ofAll(OF_ALL);
    settings.apply(database);
    preload(database, backlog(seconds));
    CompletionLatch latch = new CompletionLatch(Long.MAX_VALUE);
    List<WorkerProcess.Running> running = new ArrayList<>();
    for (WorkerProcess process : processes) {
      running.add(process.start(OF_ALL, 0, WORK_MILLIS, latch));
    }
    Meter meter = Meter.start(database);
    Thread.sleep(Math.round(seconds * 1_000));
    Sample sample = sample(database, meter, settings);
    for (WorkerProcess.Running worker : running) {
      worker.stop();
    }
    settings.check(database);
    return sample;
  }

  /** Measures how much of the limit bare loops use. */
  private static Sample used(
      BenchmarkDatabase database, List<JavaProcess> processes, Way way, double seconds)
      throws Exception {
    Case settings = Case.ofAll(OF_ALL);
    settings.apply(database);
    preload(database, backlog(seconds));
    PermitRows.create(database, OF_ALL);
    for (JavaProcess process : processes) {
      process.send("%s %d %d".formatted(way, OF_ALL, WORK_MILLIS));
    }
    for (JavaProcess process : processes) {
      expect(process, LimitProgram.STARTED);
    }
    Meter meter = Meter.start(database);
    Thread.sleep(Math.round(seconds * 1_000));
    Sample sample = sample(database, meter, settings);
    for (JavaProcess process : processes) {
      process.send(LimitProgram.STOP);
    }
    for (JavaProcess process : processes) {
      expect(process, LimitProgram.STOPPED);
    }
    settings.check(database);
    return sample;
  }

  private static void expect(JavaProcess process, String expected)
      throws IOException, InterruptedException {
    String line = process.read();
    if (!line.equals(expected)) {
      throw new IllegalStateException("A process of the benchmark printed: " + line);
    }
  }

  /** Returns more jobs than can run in the given time, so that the limit always has due jobs. */
  private static long backlog(double seconds) {
    return Math.round((seconds + 2) * OF_ALL * 1_000 / WORK_MILLIS);
  }

  /** Returns the rate so far, and the share of the limit that was used in the second half. */
  private static Sample sample(BenchmarkDatabase database, Meter meter, Case settings)
      throws SQLException {
    double seconds = meter.seconds();
    String share =
        database.value(
            BenchmarkDatabase.qualified(
                BenchmarkDatabase.SCHEMA,
                """
                WITH bounds AS (SELECT clock_timestamp() - %1$f * interval '1 second' AS low, clock_timestamp() AS high)
                SELECT coalesce(sum(extract(epoch FROM least(coalesce(finished_at, high), high) - greatest(started_at, low))), 0) / %1$f / %2$d
                  FROM @job_executions, bounds
                 WHERE started_at < high AND (finished_at IS NULL OR finished_at > low)
                """
                    .formatted(seconds / 2, settings.ofAll)));
    long ended = database.number("SELECT count(*) FROM @job_executions WHERE status = 'succeeded'");
    return new Sample(
        ended / seconds, meter.stop(ended), Map.of("used", Double.parseDouble(share)));
  }

  /**
   * Returns the maximum number of attempts that ran at the same time, by the audit.
   *
   * @param partition PARTITION BY, to count each group separately
   */
  private static long most(BenchmarkDatabase database, String partition) throws SQLException {
    return database.number(
        """
        SELECT coalesce(max(running), 0)
          FROM (SELECT sum(step) OVER (%s ORDER BY at, step) AS running
                  FROM (SELECT group_key, started_at AS at, 1 AS step FROM @job_executions
                        UNION ALL
                        SELECT group_key, finished_at, -1 FROM @job_executions WHERE finished_at IS NOT NULL) AS steps) AS moments
        """
            .formatted(partition));
  }
}
