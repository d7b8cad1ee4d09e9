package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures one worker and producers that commit each job separately at a fixed rate. Latencies are
 * measured from the scheduled time of the enqueue, so a stall counts for every job that it delays.
 * The floor is {@link BareQueue}.
 */
final class Steady implements Benchmark {

  private static final String WORKER = "worker";
  private static final String BARE = "bare loop";

  @Override
  public String purpose() {
    return "a fixed rate, enqueued one by one: latencies and CPU, against a bare loop";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(
        Setting.RATE, Setting.SECONDS, Setting.WORKERS, Setting.ARCHIVE, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long rate = options.number(Setting.RATE, 1_000);
    double seconds = options.seconds(20);
    int handlers = options.count(Setting.WORKERS, 8);
    boolean archive = options.number(Setting.ARCHIVE, 1) == 1;
    database.archive(archive, Noop.TYPE.queue());
    BareQueue.create(database);
    JobQueue queue = database.queue(10);
    Rounds.Results results;
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < SteadyLoad.PRODUCERS; i++) {
        connections.add(database.bareConnection());
      }
      // No run is discarded, because the first second of the first run is a figure.
      results =
          new Rounds(0, options.count(Setting.RUNS, 3), seconds, notes)
              .variant(WORKER, run -> worker(database, queue, handlers, new SteadyLoad(rate, run)))
              .variant(BARE, run -> bare(database, connections, new SteadyLoad(rate, run)))
              .run();
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
    Report report = report(results, rate);
    if (Boolean.FALSE.equals(report.field("rate_reached"))) {
      notes.accept(
          "The worker's runs did not reach %,d jobs/s: the producers were late, and p50_ms to max_ms include their delay."
              .formatted(rate));
    }
    return report.put("seconds", seconds).put("archive", archive ? "keep" : "none");
  }

  private static Sample worker(
      BenchmarkDatabase database, JobQueue queue, int handlers, SteadyLoad load) throws Exception {
    database.empty();
    database.settle();
    Worker worker =
        Worker.on(queue)
            .name("bench")
            .handle(
                Noop.TYPE,
                (payload, context) -> {
                  load.handler().accept(payload.n());
                  return Outcome.completed();
                })
            .queue(Noop.TYPE.queue(), handlers)
            .listener(load.completed())
            .start();
    try {
      return load.run(database, (producer, n) -> queue.enqueue(Noop.TYPE, Noop.number(n)));
    } finally {
      worker.close();
    }
  }

  private static Sample bare(
      BenchmarkDatabase database, List<Connection> connections, SteadyLoad load) throws Exception {
    BareQueue loop = BareQueue.start(database, load.handler(), load.completed());
    try {
      return load.run(database, (producer, n) -> BareQueue.enqueue(connections.get(producer), n));
    } finally {
      loop.close();
    }
  }

  private static Report report(Rounds.Results results, long rate) {
    List<Sample> runs = results.of(WORKER);
    double reached = Statistics.min(values(runs, "reached_rate"));
    Report report =
        new Report("steady", "ms")
            .finding(results, WORKER, BARE)
            .put("offered_rate", rate)
            .put("reached_rate", reached)
            .put("rate_reached", SteadyLoad.isReached(reached, rate));
    for (String figure : runs.get(0).figures().keySet()) {
      if (!figure.equals("reached_rate")) {
        report.put(figure, Statistics.median(values(runs, figure)));
      }
    }
    // Only the first run starts in a cold JVM.
    report.put("first_second_p99_ms", runs.get(0).figures().get("first_second_p99_ms"));
    report.put("server_cpu_ratio", serverCpuRatio(results));
    report.put("cores", cores(runs.get(0)));
    report.row(row(WORKER, runs)).row(row(BARE, results.of(BARE)));
    return report;
  }

  private static List<Double> values(List<Sample> runs, String figure) {
    return runs.stream().map(run -> run.figures().getOrDefault(figure, 0.0)).toList();
  }

  private static Map<String, @Nullable Object> row(String way, List<Sample> samples) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("way", way);
    for (String figure :
        List.of(
            "reached_rate",
            "p50_ms",
            "p99_ms",
            "pickup_p50_ms",
            "pickup_p99_ms",
            "first_second_p99_ms",
            "first_quarter_server_cpu_us",
            "last_quarter_server_cpu_us")) {
      row.put(figure, Statistics.median(values(samples, figure)));
    }
    row.put("server_cpu_us", Report.median(samples, Costs::serverMicros));
    return row;
  }

  /**
   * Returns the number of cores that the server and the client kept busy, or null if it is not
   * known.
   */
  private static @Nullable Double cores(Sample sample) {
    Double server = sample.costs().serverMicros();
    return server == null
        ? null
        : (server + sample.costs().clientMicros())
            * sample.figures().getOrDefault("reached_rate", 0.0)
            / 1e6;
  }

  private static @Nullable Double serverCpuRatio(Rounds.Results results) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < results.of(WORKER).size(); i++) {
      Double worker = results.of(WORKER).get(i).costs().serverMicros();
      Double bare = results.of(BARE).get(i).costs().serverMicros();
      // A short run may use less CPU than the system can show.
      if (worker != null && bare != null && bare > 0) {
        ratios.add(worker / bare);
      }
    }
    return ratios.isEmpty() ? null : Statistics.median(ratios);
  }
}
