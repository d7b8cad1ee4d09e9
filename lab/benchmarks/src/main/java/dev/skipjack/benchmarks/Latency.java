package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.LatencyProducer.Target;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time from the commit of an enqueue in another process to the start of the handler,
 * with wake-ups and with polling alone. The floor is {@link BareQueue}. The queue is idle when a
 * job arrives, because the previous job ended long before. The pauses between jobs are random, so
 * that they do not coincide with the polls.
 */
final class Latency implements Benchmark {

  private static final Duration POLL = Duration.ofMillis(200);
  private static final String WITH_WAKE_UPS = "worker, wake-ups";
  private static final String POLLS_ONLY = "worker, polls every " + POLL.toMillis() + " ms only";
  private static final String BARE = "bare loop";

  @Override
  public String purpose() {
    return "from a commit in another process to the start of the handler, against a bare loop";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.RATE, Setting.RUNS);
  }

  /** A queue with a handler; closing it stops the handler. */
  interface Running extends AutoCloseable {
    @Override
    void close();
  }

  /** Starts to handle jobs. */
  @FunctionalInterface
  interface Start {
    Running start(LongConsumer handler, CompletionLatch completed) throws SQLException;
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, 100);
    long rate = options.number(Setting.RATE, 10);
    database.archive(true, Noop.TYPE.queue());
    BareQueue.create(database);
    JobQueue queue = database.queue(8);
    WorkerConfig polling = WorkerConfig.builder().wakeUps(false).pollInterval(POLL).build();
    Rounds.Results results;
    try (LatencyProcess producer = new LatencyProcess(database)) {
      results =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), (double) jobs / rate, notes)
              .variant(
                  WITH_WAKE_UPS,
                  seconds ->
                      measure(
                          producer,
                          Target.SKIPJACK,
                          rate,
                          seconds,
                          (handler, completed) ->
                              worker(database, queue, WorkerConfig.defaults(), handler, completed)))
              .variant(
                  BARE,
                  seconds ->
                      measure(
                          producer,
                          Target.BARE,
                          rate,
                          seconds,
                          (handler, completed) ->
                              BareQueue.start(database, handler, completed)::close))
              .variant(
                  POLLS_ONLY,
                  seconds ->
                      measure(
                          producer,
                          Target.SKIPJACK,
                          rate,
                          seconds,
                          (handler, completed) ->
                              worker(database, queue, polling, handler, completed)))
              .run();
    }
    Report report =
        new Report("latency", "ms")
            .finding(results, WITH_WAKE_UPS, BARE)
            .put("jobs", jobs)
            .put("rate", rate)
            .put("poll_interval_ms", POLL.toMillis());
    figures(results.of(WITH_WAKE_UPS)).forEach(report::put);
    figures(results.of(BARE)).forEach((name, value) -> report.put("bare_" + name, value));
    figures(results.of(POLLS_ONLY))
        .forEach((name, value) -> report.put("poll_only_" + name, value));
    for (String way : List.of(WITH_WAKE_UPS, POLLS_ONLY, BARE)) {
      report.row(row(way, results.of(way)));
    }
    return report;
  }

  /** Returns the median of each figure. */
  static Map<String, Double> figures(List<Sample> samples) {
    Map<String, Double> medians = new LinkedHashMap<>();
    for (String name : samples.get(0).figures().keySet()) {
      medians.put(
          name,
          Statistics.median(
              samples.stream().map(run -> run.figures().getOrDefault(name, 0.0)).toList()));
    }
    return medians;
  }

  private static Map<String, @Nullable Object> row(String way, List<Sample> samples) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("way", way);
    row.putAll(figures(samples));
    row.put("server_cpu_us", Report.median(samples, Costs::serverMicros));
    return row;
  }

  /** Starts a worker on an empty schema. */
  static Running worker(
      BenchmarkDatabase database,
      JobQueue queue,
      WorkerConfig config,
      LongConsumer handler,
      CompletionLatch completed)
      throws SQLException {
    database.empty();
    database.settle();
    return Worker.on(queue)
            .name("bench")
            .config(config)
            .handle(
                Noop.TYPE,
                (payload, context) -> {
                  handler.accept(payload.n());
                  return Outcome.completed();
                })
            .queue(Noop.TYPE.queue(), 2)
            .listener(completed)
            .start()
        ::close;
  }

  /**
   * Measures the latencies of jobs that the process enqueues. The value of the sample is their
   * median.
   */
  static Sample measure(
      LatencyProcess producer, Target target, long rate, double seconds, Start start)
      throws Exception {
    long jobs = Math.max(1, Math.round(rate * seconds));
    Map<Long, Instant> started = new ConcurrentHashMap<>();
    CompletionLatch completed = new CompletionLatch(jobs + LatencyProducer.warmUp(jobs));
    Map<Long, Instant> committed;
    Costs costs;
    Running running = start.start(n -> started.putIfAbsent(n, Instant.now()), completed);
    try {
      LatencyProcess.Produced produced = producer.produce(target, jobs, rate);
      committed = produced.committed();
      completed.await();
      costs = produced.meter().stop(jobs);
    } finally {
      running.close();
    }
    Latencies latencies = new Latencies();
    committed.forEach(
        (n, at) -> {
          Instant begin = started.get(n);
          if (begin == null) {
            throw new IllegalStateException("Job %d was not handled.".formatted(n));
          }
          if (n > 0) {
            latencies.add(ChronoUnit.MICROS.between(at, begin));
          }
        });
    if (latencies.count() != jobs) {
      throw new IllegalStateException(
          "Of %d jobs, %d were measured.".formatted(jobs, latencies.count()));
    }
    return new Sample(latencies.millis(50), costs, latencies.figures(""));
  }
}
