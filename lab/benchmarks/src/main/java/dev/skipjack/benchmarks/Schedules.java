package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.benchmarks.Idle.IdleLoad;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Measures the delay from the planned time of a fire to its enqueue when many schedules are due in
 * the same second, and the load that an idle worker causes while no schedule is due.
 *
 * <p>The benchmark changes the times in the schedules' rows, so a run need not wait for their next
 * minute.
 */
final class Schedules implements Benchmark {

  private static final int SCHEDULES = 10_000;

  /**
   * The number of discarded runs for each one that is requested. The code must be compiled first,
   * as in a process that has run for long, and this takes about six runs.
   */
  private static final int RUNS_UNTIL_COMPILED = 6;

  private static final double TARGET_MILLIS = 1_000;

  private static final String LATE_MICROS =
      "SELECT extract(epoch FROM created_at - split_part(headers ->> 'skipjack-schedule', chr(64), 2)::timestamptz) * 1000000"
          + " FROM (SELECT created_at, headers FROM @jobs UNION ALL SELECT created_at, headers FROM @jobs_archive) AS fired";

  @Override
  public String purpose() {
    return "from the planned time to the enqueue, with many schedules due in the same second";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.SECONDS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int schedules = options.count(Setting.JOBS, SCHEDULES);
    try {
      declare(database, schedules);
      List<Sample> samples = new ArrayList<>();
      int discarded = RUNS_UNTIL_COMPILED * options.warmUps();
      int runs = discarded + options.count(Setting.RUNS, 3);
      for (int run = 0; run < runs; run++) {
        Sample sample = fireAll(database, schedules);
        notes.accept("%,d schedules: p99 %.0f ms".formatted(schedules, sample.value()));
        if (run >= discarded) {
          samples.add(sample);
        }
      }
      IdleLoad beside = Idle.measure(database, options.seconds(20), notes);
      database.inSchema("TRUNCATE @job_schedules");
      IdleLoad without = Idle.measure(database, options.seconds(20), notes);
      return report(samples, schedules, beside, without);
    } finally {
      database.inSchema("TRUNCATE @job_schedules");
    }
  }

  private static Report report(
      List<Sample> samples, int schedules, IdleLoad beside, IdleLoad without) {
    Report report = new Report("schedules", "ms from planned time to enqueue, p99");
    report.finding(samples).put("schedules", schedules);
    for (String figure : samples.get(0).figures().keySet()) {
      report.put(
          figure,
          Statistics.median(
              samples.stream().map(sample -> sample.figures().getOrDefault(figure, 0.0)).toList()));
    }
    report
        .put("to_reach", TARGET_MILLIS)
        .put("reached", samples.stream().allMatch(sample -> sample.value() <= TARGET_MILLIS));
    putIdle(report, "idle_", beside);
    putIdle(report, "idle_without_", without);
    return report;
  }

  private static void putIdle(Report report, String prefix, IdleLoad load) {
    Double server = load.costs().serverMicros();
    double seconds = load.costs().seconds();
    report
        .put(prefix + "statements_per_s", load.rate())
        .put(prefix + "server_cpu_us_per_s", server == null ? null : server / seconds)
        .put(prefix + "client_cpu_us_per_s", load.costs().clientMicros() / seconds);
  }

  private static void declare(BenchmarkDatabase database, int schedules) throws SQLException {
    database.inSchema("TRUNCATE @job_schedules");
    Timing eachMinute = Timing.every(Duration.ofMinutes(1)).fromLastFire();
    List<Schedule> declared = new ArrayList<>();
    IntStream.range(0, schedules)
        .forEach(
            n ->
                declared.add(
                    Schedule.of(eachMinute)
                        .named("bench-" + n)
                        .enqueue(Noop.TYPE, Noop.number(n))));
    database.queue(1).schedules().declare(declared);
    postpone(database);
  }

  /** Makes all schedules due in an hour. */
  private static void postpone(BenchmarkDatabase database) throws SQLException {
    database.inSchema(
        "UPDATE @job_schedules SET next_at = now() + interval '1 hour', due_at = now() + interval '1 hour'",
        "VACUUM (ANALYZE) @job_schedules");
  }

  private static Sample fireAll(BenchmarkDatabase database, int schedules) throws Exception {
    database.empty();
    database.settle();
    CompletionLatch latch = new CompletionLatch(schedules);
    Meter meter = Meter.start(database);
    database.inSchema(
        "UPDATE @job_schedules SET next_at = date_trunc('second', now()) + interval '3 s',"
            + " due_at = date_trunc('second', now()) + interval '3 s'");
    Worker worker =
        Worker.on(database.queue(8))
            .name("bench")
            .handle(Noop.TYPE, (payload, context) -> Outcome.completed())
            .queue(Noop.TYPE.queue(), 8)
            .listener(latch)
            .start();
    try {
      latch.await();
      Costs costs = meter.stop(schedules);
      postpone(database);
      Latencies late = late(database);
      if (late.count() != schedules) {
        throw new IllegalStateException(
            "%d schedules have enqueued %d jobs.".formatted(schedules, late.count()));
      }
      return new Sample(late.millis(99), costs, late.figures(""));
    } finally {
      worker.close();
    }
  }

  private static Latencies late(BenchmarkDatabase database) throws SQLException {
    Latencies late = new Latencies();
    HikariDataSource pool = database.pool(1);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, LATE_MICROS))) {
      while (row.next()) {
        late.add(row.getLong(1));
      }
    }
    return late;
  }
}
