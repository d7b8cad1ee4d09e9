package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Compares three strategies common in the literature (UPDATE without a lock, FOR UPDATE, and FOR
 * UPDATE SKIP LOCKED) with a Skipjack worker, with few and many threads, with and without work.
 * These strategies have neither leases nor an audit. Writes a table and plots into a folder.
 *
 * <p>Fails if any strategy except UPDATE without a lock executes a job twice.
 */
final class Seed implements Benchmark {

  private static final String SKIPJACK = "Skipjack";
  private static final List<Integer> THREADS = List.of(1, 10, 50);
  private static final int MAX_THREADS = 100;
  private static final int WORK_MILLIS = 10;

  @Override
  public String purpose() {
    return "UPDATE, FOR UPDATE, SKIP LOCKED and Skipjack with 1 to 100 threads; a table and plots";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.SECONDS, Setting.WORKERS, Setting.OUT);
  }

  /**
   * The result of one strategy.
   *
   * @param rate distinct jobs completed per second; only committed completions count
   * @param doubleRuns number of repeated executions
   * @param waiting mean number of sessions that waited for a lock
   */
  record Point(
      String strategy,
      int threads,
      int workMillis,
      double rate,
      long doubleRuns,
      double waiting,
      Costs costs) {

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s, %d threads, %d ms of work: %,.0f jobs/s, %d double runs",
          strategy,
          threads,
          workMillis,
          rate,
          doubleRuns);
    }

    Map<String, Object> row() {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("strategy", strategy);
      row.put("threads", threads);
      row.put("work_ms", workMillis);
      row.put("jobs_per_s", rate);
      row.put("double_runs", doubleRuns);
      row.put("sessions_waiting", waiting);
      Double server = costs.serverMicros();
      row.put("server_cpu_us", server == null ? "-" : server);
      return row;
    }
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int jobs = options.count(Setting.JOBS, 1_000_000);
    double seconds = options.seconds(8);
    int maxThreads = Math.min(options.count(Setting.WORKERS, MAX_THREADS), MAX_THREADS);
    Path folder = Files.createDirectories(options.folder(Path.of("bench-seed")));
    List<Integer> threads =
        Stream.concat(THREADS.stream().filter(count -> count < maxThreads), Stream.of(maxThreads))
            .toList();
    database.archive(true, Noop.TYPE.queue());
    for (int i = 0; i < options.warmUps(); i++) {
      points(
          database,
          Math.max(1, jobs / 10),
          seconds / 2,
          Math.min(maxThreads, 10),
          0,
          point -> notes.accept("warm-up " + point));
    }
    List<Point> points = new ArrayList<>();
    for (int work : List.of(0, WORK_MILLIS)) {
      for (int count : threads) {
        points(
            database,
            jobs,
            seconds,
            count,
            work,
            point -> {
              notes.accept(point.toString());
              points.add(point);
            });
      }
    }
    SeedPlot.write(folder, points, threads);
    return report(points, folder, jobs, seconds);
  }

  /** Measures each strategy once. */
  private static void points(
      BenchmarkDatabase database,
      int jobs,
      double seconds,
      int threads,
      int workMillis,
      Consumer<Point> points)
      throws Exception {
    for (SeedStrategy strategy : SeedStrategy.values()) {
      Point point = baseline(database, strategy, jobs, seconds, threads, workMillis);
      points.accept(check(point, strategy.mayRunTwice()));
    }
    points.accept(check(skipjack(database, jobs, seconds, threads, workMillis), false));
  }

  /**
   * Returns the point after checking it.
   *
   * @throws IllegalStateException if a job was executed twice and the strategy must prevent that
   */
  static Point check(Point point, boolean mayRunTwice) {
    if (point.doubleRuns > 0 && !mayRunTwice) {
      throw new IllegalStateException("A job ran twice: " + point);
    }
    return point;
  }

  private static Point baseline(
      BenchmarkDatabase database,
      SeedStrategy strategy,
      int jobs,
      double seconds,
      int threads,
      int workMillis)
      throws Exception {
    database.inSchema(SeedStrategy.table(jobs).toArray(String[]::new));
    Executions executions = new Executions(jobs);
    try (LockWaits waits = LockWaits.watch(database)) {
      Meter meter = Meter.start(database);
      Parallel.run(
          threads,
          number -> {
            try (Connection connection = database.bareConnection()) {
              connection.setAutoCommit(false);
              while (meter.seconds() < seconds && !executions.isComplete()) {
                long id = strategy.claim(connection);
                connection.commit();
                if (id != SeedStrategy.NOTHING) {
                  work(workMillis);
                  SeedStrategy.complete(connection, id);
                  connection.commit();
                  executions.add((int) id);
                }
              }
            }
          });
      Costs costs = meter.stop(executions.total());
      return new Point(
          strategy.label(),
          threads,
          workMillis,
          executions.distinct() / costs.seconds(),
          executions.doubleRuns(),
          waits.average(),
          costs);
    }
  }

  private static Point skipjack(
      BenchmarkDatabase database, int jobs, double seconds, int threads, int workMillis)
      throws Exception {
    Drain.prepare(database, jobs);
    JobQueue queue = database.queue(8);
    Executions executions = new Executions(jobs);
    CompletionLatch latch = new CompletionLatch(jobs);
    try (LockWaits waits = LockWaits.watch(database)) {
      Meter meter = Meter.start(database);
      Worker worker =
          Worker.on(queue)
              .name("bench")
              .handle(
                  Noop.TYPE,
                  (payload, context) -> {
                    work(workMillis);
                    executions.add((int) payload.n());
                    return Outcome.completed();
                  })
              .queue(Noop.TYPE.queue(), threads)
              .listener(latch)
              .start();
      Costs costs;
      double rate;
      double waiting;
      try {
        latch.await(seconds);
        // A job counts once its completion is committed, which is later than the handler's return.
        long completed = jobs - latch.remaining();
        costs = meter.stop(completed);
        rate = completed / costs.seconds();
        waiting = waits.average();
      } finally {
        worker.close();
      }
      return new Point(
          SKIPJACK, threads, workMillis, rate, executions.doubleRuns(), waiting, costs);
    }
  }

  private static void work(int millis) throws InterruptedException {
    if (millis > 0) {
      TimeUnit.MILLISECONDS.sleep(millis);
    }
  }

  private static Report report(List<Point> points, Path folder, int jobs, double seconds) {
    Point skipjack = best(points, true);
    Point baseline = best(points, false);
    Report report =
        new Report("seed", "jobs/s")
            .finding(List.of(new Sample(skipjack.rate, skipjack.costs, Map.of())))
            .put("ratio", skipjack.rate / baseline.rate)
            .put("floor", baseline.strategy)
            .put("floor_median", baseline.rate)
            .put("pending", jobs)
            .put("seconds", seconds)
            .put("files", folder.toString());
    points.forEach(point -> report.row(point.row()));
    return report;
  }

  /** Returns the fastest point with 0 ms of work: of Skipjack, or of all other strategies. */
  private static Point best(List<Point> points, boolean skipjack) {
    return points.stream()
        .filter(point -> point.workMillis == 0 && point.strategy.equals(SKIPJACK) == skipjack)
        .max(Comparator.comparingDouble(Point::rate))
        .orElseThrow();
  }

  /** Counts the executions of each job. */
  private static final class Executions {

    private final AtomicLongArray times;
    private final AtomicLong total = new AtomicLong();
    private final AtomicLong distinct = new AtomicLong();

    Executions(int jobs) {
      times = new AtomicLongArray(jobs + 1);
    }

    void add(int job) {
      total.incrementAndGet();
      if (times.incrementAndGet(job) == 1) {
        distinct.incrementAndGet();
      }
    }

    long total() {
      return total.get();
    }

    boolean isComplete() {
      return distinct.get() >= times.length() - 1;
    }

    long distinct() {
      return distinct.get();
    }

    long doubleRuns() {
      return total.get() - distinct.get();
    }
  }
}
