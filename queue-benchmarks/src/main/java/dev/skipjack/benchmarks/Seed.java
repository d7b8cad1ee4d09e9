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
 * The literature's comparison: UPDATE without a lock, FOR UPDATE, FOR UPDATE SKIP LOCKED and our
 * worker take jobs from a full table, with few and many threads, without work and with some. The
 * first three hold no lease and keep no audit. A table and plots are written into a folder.
 *
 * <p>Only the UPDATE without a lock may execute a job twice; if another does, the benchmark fails.
 */
final class Seed implements Benchmark {

  private static final String OURS = "Skipjack";
  private static final List<Integer> THREADS = List.of(1, 10, 50);
  private static final int MOST_THREADS = 100;
  private static final int WORK_MILLIS = 10;

  @Override
  public String purpose() {
    return "UPDATE, FOR UPDATE, SKIP LOCKED and ours with 1 to 100 threads; a table and plots";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.SECONDS, Setting.WORKERS, Setting.OUT);
  }

  /**
   * What one strategy came to.
   *
   * @param rate different jobs completed a second, and that committed
   * @param doubles how often a job was executed that had been before
   * @param waiting sessions that waited for a lock, on average
   */
  record Point(
      String strategy,
      int threads,
      int workMillis,
      double rate,
      long doubles,
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
          doubles);
    }

    Map<String, Object> row() {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("strategy", strategy);
      row.put("threads", threads);
      row.put("work_ms", workMillis);
      row.put("jobs_per_s", rate);
      row.put("double_runs", doubles);
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
    int most = Math.min(options.count(Setting.WORKERS, MOST_THREADS), MOST_THREADS);
    Path folder = Files.createDirectories(options.folder(Path.of("bench-seed")));
    List<Integer> threads =
        Stream.concat(THREADS.stream().filter(count -> count < most), Stream.of(most)).toList();
    database.archive(true, Noop.TYPE.queue());
    points(
        database,
        Math.max(1, jobs / 10),
        seconds / 2,
        Math.min(most, 10),
        0,
        point -> notes.accept("warm-up " + point));
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

  /** One of each strategy. */
  private static void points(
      BenchmarkDatabase database,
      int jobs,
      double seconds,
      int threads,
      int workMillis,
      Consumer<Point> points)
      throws Exception {
    for (SeedStrategy strategy : SeedStrategy.values()) {
      Point point = theirs(database, strategy, jobs, seconds, threads, workMillis);
      points.accept(check(point, strategy.mayRunTwice()));
    }
    points.accept(check(ours(database, jobs, seconds, threads, workMillis), false));
  }

  /**
   * Answers the point.
   *
   * @throws IllegalStateException if a job was executed twice that must not be
   */
  static Point check(Point point, boolean mayRunTwice) {
    if (point.doubles > 0 && !mayRunTwice) {
      throw new IllegalStateException("A job ran twice: " + point);
    }
    return point;
  }

  private static Point theirs(
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
      Together.run(
          threads,
          number -> {
            try (Connection connection = database.bareConnection()) {
              connection.setAutoCommit(false);
              while (meter.seconds() < seconds && !executions.areAll()) {
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
      Costs costs = meter.stop(executions.all());
      return new Point(
          strategy.label(),
          threads,
          workMillis,
          executions.different() / costs.seconds(),
          executions.doubles(),
          waits.average(),
          costs);
    }
  }

  private static Point ours(
      BenchmarkDatabase database, int jobs, double seconds, int threads, int workMillis)
      throws Exception {
    Drain.prepare(database, jobs);
    JobQueue queue = database.queue(8);
    Executions executions = new Executions(jobs);
    Finish finish = new Finish(jobs);
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
              .listener(finish)
              .start();
      Costs costs;
      double rate;
      double waiting;
      try {
        while (meter.seconds() < seconds && finish.left() > 0) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
        // What a handler has returned is done when that is committed, which comes later.
        long completed = jobs - finish.left();
        costs = meter.stop(completed);
        rate = completed / costs.seconds();
        waiting = waits.average();
      } finally {
        worker.close();
      }
      return new Point(OURS, threads, workMillis, rate, executions.doubles(), waiting, costs);
    }
  }

  private static void work(int millis) throws InterruptedException {
    if (millis > 0) {
      TimeUnit.MILLISECONDS.sleep(millis);
    }
  }

  private static Report report(List<Point> points, Path folder, int jobs, double seconds) {
    Point ours = best(points, true);
    Point theirs = best(points, false);
    Report report =
        new Report("seed", "jobs/s")
            .finding(List.of(new Sample(ours.rate, ours.costs, Map.of())))
            .put("ratio", ours.rate / theirs.rate)
            .put("floor", theirs.strategy)
            .put("floor_median", theirs.rate)
            .put("pending", jobs)
            .put("seconds", seconds)
            .put("files", folder.toString());
    points.forEach(point -> report.row(point.row()));
    return report;
  }

  /** The fastest without work, of us or of the others. */
  private static Point best(List<Point> points, boolean ours) {
    return points.stream()
        .filter(point -> point.workMillis == 0 && point.strategy.equals(OURS) == ours)
        .max(Comparator.comparingDouble(Point::rate))
        .orElseThrow();
  }

  /** How often each job was executed. */
  private static final class Executions {

    private final AtomicLongArray times;
    private final AtomicLong all = new AtomicLong();
    private final AtomicLong different = new AtomicLong();

    Executions(int jobs) {
      times = new AtomicLongArray(jobs + 1);
    }

    void add(int job) {
      all.incrementAndGet();
      if (times.incrementAndGet(job) == 1) {
        different.incrementAndGet();
      }
    }

    long all() {
      return all.get();
    }

    boolean areAll() {
      return different.get() >= times.length() - 1;
    }

    long different() {
      return different.get();
    }

    long doubles() {
      return all.get() - different.get();
    }
  }
}
