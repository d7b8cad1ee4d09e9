package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.LatencyProducer.Target;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Measures how fast one worker runs preloaded no-op jobs with ordering keys, compared with jobs
 * without a key and with {@link AdvisoryLockOrder}, in turn. Then measures the pickup of single
 * jobs with a key.
 *
 * <p>A run ends after a fixed time, because the jobs of a single key would take much longer than
 * others. Jobs that remain in the backlog do not count.
 */
final class Ordering implements Benchmark {

  private static final long JOBS = 200_000;
  private static final int MANY_KEYS = 100_000;
  private static final int HANDLERS = 8;
  private static final long PICKUP_RATE = 20;

  /** The batch size of the article that proposes the advisory lock. */
  private static final int ADVISORY_BATCH = 50;

  private static final long ADVISORY_PAUSE_MILLIS = 10;

  private static final String UNORDERED = "no key";
  private static final String BESIDE_HOT_KEY = "no key, beside a hot key";

  @Override
  public String purpose() {
    return "jobs with ordering keys, against jobs without; their pickup; advisory locks beside them";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.WORKERS, Setting.SECONDS, Setting.RATE, Setting.RUNS);
  }

  /**
   * A case, which is defined by its number of ordering keys.
   *
   * @param field prefix of the names of the case's fields in the report
   */
  private record Case(String field, String label, int keys) {

    String advisoryLabel() {
      return "advisory locks, " + label;
    }
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, JOBS);
    int manyKeys = (int) Math.max(1, Math.min(MANY_KEYS, jobs / 2));
    List<Case> cases =
        List.of(
            new Case("twenty_keys", "20 keys", 20),
            new Case("one_key", "one key", 1),
            new Case("many_keys", "%,d keys".formatted(manyKeys), manyKeys));
    Rounds.Results drains = drains(database, options, notes, jobs, cases);
    Report report = new Report("ordering", "jobs/s");
    Case slowest =
        cases.stream()
            .min(Comparator.comparingDouble(one -> rate(drains, one.label())))
            .orElseThrow();
    report
        .finding(drains, slowest.label(), UNORDERED)
        .put("ratio_of", slowest.label())
        .variants(drains);
    for (Case one : cases) {
      putRatios(report, one.field(), drains, one.label());
      report.put(one.field() + "_jobs_per_claim", figure(drains, one.label(), "jobs_per_claim"));
    }
    putRatios(report, "beside_hot_key", drains, BESIDE_HOT_KEY);
    for (Case one : cases) {
      String field = "advisory_" + one.field();
      putRatios(report, field, drains, one.advisoryLabel());
      report.put(field + "_violations", figure(drains, one.advisoryLabel(), "violations"));
    }
    putPickups(database, options, notes, report);
    return report.put("jobs", jobs).put("many_keys", manyKeys);
  }

  private static Rounds.Results drains(
      BenchmarkDatabase database,
      Options options,
      Consumer<String> notes,
      long jobs,
      List<Case> cases)
      throws Exception {
    int handlers = options.count(Setting.WORKERS, HANDLERS);
    database.archive(true, Noop.TYPE.queue());
    AdvisoryLockOrder.create(database);
    JobQueue queue = database.queue(8);
    Rounds rounds =
        new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(10), notes);
    rounds.variant(
        UNORDERED,
        seconds -> drain(database, queue, OrderedRows.of(jobs, 0), 0, handlers, seconds));
    for (Case one : cases) {
      rounds
          .variant(
              one.label(),
              seconds ->
                  drain(database, queue, OrderedRows.of(jobs, one.keys()), 0, handlers, seconds))
          .variant(
              one.advisoryLabel(),
              seconds ->
                  drainAdvisory(database, OrderedRows.of(jobs, one.keys()), handlers, seconds));
    }
    rounds.variant(
        BESIDE_HOT_KEY,
        seconds -> drain(database, queue, OrderedRows.of(jobs, 0), jobs, handlers, seconds));
    return rounds.run();
  }

  /**
   * Runs a worker until the time has passed or all jobs are completed.
   *
   * @param hot number of additional jobs, which wait behind a head that is due later
   */
  private static Sample drain(
      BenchmarkDatabase database,
      JobQueue queue,
      OrderedRows rows,
      long hot,
      int handlers,
      double seconds)
      throws Exception {
    database.empty();
    rows.insert(database);
    if (hot > 0) {
      OrderedRows.insertHotKey(database, hot);
    }
    database.settle();
    CompletionLatch latch = new CompletionLatch(rows.jobs());
    BatchSizes sizes = new BatchSizes();
    Worker.Builder builder =
        Worker.on(TimedAccess.of(queue, sizes))
            .name("bench")
            .handle(
                Noop.TYPE,
                (payload, context) -> {
                  rows.started(payload.n());
                  return Outcome.completed();
                })
            .queue(Noop.TYPE.queue(), handlers)
            .listener(latch);
    Meter meter = Meter.start(database);
    Sample sample;
    Worker worker = builder.start();
    try {
      latch.await(seconds);
      long completed = rows.jobs() - latch.remaining();
      Costs costs = meter.stop(completed);
      sample = new Sample(completed / costs.seconds(), costs, sizes.figures());
    } finally {
      worker.close();
    }
    check(database, rows, hot, latch.remaining());
    return sample;
  }

  private static void check(BenchmarkDatabase database, OrderedRows rows, long hot, long remaining)
      throws SQLException {
    long others = hot == 0 ? 0 : hot + 1;
    long left = database.number("SELECT count(*) FROM @jobs") - others;
    long succeeded =
        database.number("SELECT count(*) FROM @job_executions WHERE status = 'succeeded'");
    if (left != remaining || succeeded != rows.jobs() - remaining) {
      throw new IllegalStateException(
          "Of %d jobs, %d are left, %d succeeded and %d were not reported as completed."
              .formatted(rows.jobs(), left, succeeded, remaining));
    }
    if (rows.violations().get() > 0) {
      throw new IllegalStateException(
          "%d jobs started after a later job of their ordering key."
              .formatted(rows.violations().get()));
    }
  }

  private static Sample drainAdvisory(
      BenchmarkDatabase database, OrderedRows rows, int sessions, double seconds) throws Exception {
    AdvisoryLockOrder.fill(database, rows);
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < sessions; i++) {
        Connection connection = database.bareConnection();
        connection.setAutoCommit(false);
        connections.add(connection);
      }
      AtomicLong completed = new AtomicLong();
      Meter meter = Meter.start(database);
      Parallel.run(
          sessions,
          number -> {
            while (completed.get() == 0
                || (completed.get() < rows.jobs() && meter.seconds() < seconds)) {
              int ran =
                  AdvisoryLockOrder.runBatch(
                      connections.get(number), ADVISORY_BATCH, rows::started);
              completed.addAndGet(ran);
              if (ran == 0) {
                TimeUnit.MILLISECONDS.sleep(ADVISORY_PAUSE_MILLIS);
              }
            }
          });
      Costs costs = meter.stop(completed.get());
      return new Sample(
          completed.get() / costs.seconds(),
          costs,
          Map.of("violations", rows.violations().doubleValue()));
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static double rate(Rounds.Results results, String variant) {
    return Statistics.median(results.values(variant));
  }

  private static double figure(Rounds.Results results, String variant, String name) {
    return Statistics.median(
        results.of(variant).stream().map(run -> run.figures().getOrDefault(name, 0.0)).toList());
  }

  private static void putRatios(
      Report report, String field, Rounds.Results results, String variant) {
    report
        .put(field + "_ratio", Statistics.median(results.ratios(variant, UNORDERED)))
        .put(field + "_server_cpu_ratio", costRatio(results, variant, Costs::serverMicros))
        .put(field + "_client_cpu_ratio", costRatio(results, variant, Costs::clientMicros));
  }

  /**
   * Returns the median, over the rounds, of a cost's ratio to that of jobs without a key; null if
   * it is not known.
   */
  private static @Nullable Double costRatio(
      Rounds.Results results, String variant, Function<Costs, @Nullable Double> cost) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < results.of(variant).size(); i++) {
      Double ordered = cost.apply(results.of(variant).get(i).costs());
      Double unordered = cost.apply(results.of(UNORDERED).get(i).costs());
      // A short run may use less CPU than the system can show.
      if (ordered != null && unordered != null && unordered > 0) {
        ratios.add(ordered / unordered);
      }
    }
    return ratios.isEmpty() ? null : Statistics.median(ratios);
  }

  /** Compares the pickup of jobs that each have a separate key with that of jobs without a key. */
  private static void putPickups(
      BenchmarkDatabase database, Options options, Consumer<String> notes, Report report)
      throws Exception {
    Map<String, Target> ways = new LinkedHashMap<>();
    ways.put("pickup_unordered", Target.SKIPJACK);
    ways.put("pickup_ordered", Target.ORDERED);
    ways.put("pickup_transaction_unordered", Target.TRANSACTION);
    ways.put("pickup_transaction_ordered", Target.ORDERED_TRANSACTION);
    long rate = options.number(Setting.RATE, PICKUP_RATE);
    JobQueue queue = database.queue(8);
    Rounds rounds =
        new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(10), notes);
    Rounds.Results results;
    try (LatencyProcess producer = new LatencyProcess(database)) {
      ways.forEach(
          (way, target) ->
              rounds.variant(
                  way,
                  seconds ->
                      Latency.measure(
                          producer,
                          target,
                          rate,
                          seconds,
                          (handler, completed) ->
                              Latency.worker(
                                  database, queue, WorkerConfig.defaults(), handler, completed))));
      results = rounds.run();
    }
    for (String way : ways.keySet()) {
      report.put(way + "_p50_ms", figure(results, way, "p50_ms"));
      report.put(way + "_p99_ms", figure(results, way, "p99_ms"));
    }
    for (String prefix : List.of("pickup_", "pickup_transaction_")) {
      report.put(
          prefix + "ratio",
          Statistics.median(results.ratios(prefix + "ordered", prefix + "unordered")));
    }
    report.put("rate", rate);
  }
}
