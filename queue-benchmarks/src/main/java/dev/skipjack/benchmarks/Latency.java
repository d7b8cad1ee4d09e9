package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
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

/**
 * The time from the commit of an enqueue in another process to the start of the handler, with
 * wake-ups and with polling alone. Each job finds the queue idle: the one before has ended long
 * ago. The pauses between jobs are random, so that they do not follow the polls.
 */
final class Latency implements Benchmark {

  private static final Duration POLL = Duration.ofMillis(200);

  @Override
  public String purpose() {
    return "from a commit in another process to the start of the handler, in an idle queue";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.RATE);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, 500);
    long rate = options.number(Setting.RATE, 10);
    database.archive(true, Noop.TYPE.queue());
    WorkerConfig defaults = WorkerConfig.defaults();
    WorkerConfig polling = WorkerConfig.builder().wakeUps(false).pollInterval(POLL).build();
    Measurement withWakeUps;
    Measurement pollingOnly;
    try (LatencyProcess producer = new LatencyProcess(database)) {
      withWakeUps = measure(database, producer, defaults, jobs, rate);
      notes.accept("with wake-ups: p50 %.2f ms".formatted(withWakeUps.latencies.millis(50)));
      pollingOnly = measure(database, producer, polling, jobs, rate);
      notes.accept("polling alone: p50 %.2f ms".formatted(pollingOnly.latencies.millis(50)));
    }

    double median = withWakeUps.latencies.millis(50);
    Report report =
        new Report("latency", "ms")
            .finding(List.of(new Sample(median, withWakeUps.costs, Map.of())))
            .put("jobs", jobs)
            .put("rate", rate)
            .put("poll_interval_ms", POLL.toMillis());
    withWakeUps.latencies.figures("").forEach(report::put);
    pollingOnly.latencies.figures("poll_only_").forEach(report::put);
    return report
        .row(
            row(
                "wake-ups, poll interval " + defaults.pollInterval().toMillis() + " ms",
                withWakeUps))
        .row(row("polls only, every " + POLL.toMillis() + " ms", pollingOnly));
  }

  private static Map<String, Object> row(String way, Measurement measurement) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("way", way);
    row.putAll(measurement.latencies.figures(""));
    return row;
  }

  private record Measurement(Latencies latencies, Costs costs) {}

  private static Measurement measure(
      BenchmarkDatabase database,
      LatencyProcess producer,
      WorkerConfig config,
      long jobs,
      long rate)
      throws Exception {
    database.empty();
    database.settle();
    Map<Long, Instant> started = new ConcurrentHashMap<>();
    CompletionLatch latch = new CompletionLatch(jobs + LatencyProducer.warmUp(jobs));
    Worker worker =
        Worker.on(database.queue(8))
            .name("bench")
            .config(config)
            .handle(
                Noop.TYPE,
                (payload, context) -> {
                  started.putIfAbsent(payload.n(), Instant.now());
                  return Outcome.completed();
                })
            .queue(Noop.TYPE.queue(), 2)
            .listener(latch)
            .start();
    Map<Long, Instant> committed;
    Costs costs;
    try {
      LatencyProcess.Produced produced = producer.produce(jobs, rate);
      committed = produced.committed();
      latch.await();
      costs = produced.meter().stop(jobs);
    } finally {
      worker.close();
    }
    Latencies latencies = new Latencies();
    committed.forEach(
        (n, at) -> {
          Instant start = started.get(n);
          if (start == null) {
            throw new IllegalStateException("Job %d was not handled.".formatted(n));
          }
          if (n > 0) {
            latencies.add(ChronoUnit.MICROS.between(at, start));
          }
        });
    if (latencies.count() != jobs) {
      throw new IllegalStateException(
          "Of %d jobs, %d were measured.".formatted(jobs, latencies.count()));
    }
    return new Measurement(latencies, costs);
  }
}
