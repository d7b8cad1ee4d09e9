package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    Measurement withWakeUps = measure(database, defaults, jobs, rate);
    notes.accept("with wake-ups: p50 %.2f ms".formatted(withWakeUps.latencies.millis(50)));
    WorkerConfig polling = WorkerConfig.builder().wakeUps(false).pollInterval(POLL).build();
    Measurement pollingOnly = measure(database, polling, jobs, rate);
    notes.accept("polling alone: p50 %.2f ms".formatted(pollingOnly.latencies.millis(50)));

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
      BenchmarkDatabase database, WorkerConfig config, long jobs, long rate) throws Exception {
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
      Produced produced = produce(database, jobs, rate);
      committed = produced.committed;
      latch.await();
      costs = produced.meter.stop(jobs);
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

  /**
   * The output of the other process.
   *
   * @param committed commit time by number of the job
   * @param meter started at the end of the warm-up
   */
  private record Produced(Map<Long, Instant> committed, Meter meter) {}

  private static Produced produce(BenchmarkDatabase database, long jobs, long rate)
      throws IOException, InterruptedException, SQLException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-Dorg.jooq.no-logo=true");
    command.add("-Dorg.jooq.no-tips=true");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(LatencyProducer.class.getName());
    Process producer = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    try {
      // Not as an argument: the URL may contain a password, and the process list shows arguments.
      try (Writer in = new OutputStreamWriter(producer.getOutputStream(), StandardCharsets.UTF_8)) {
        in.write("%s%n%d%n%d%n".formatted(database.jdbcUrl(), jobs, rate));
      }
      Map<Long, Instant> committed = new LinkedHashMap<>();
      Meter meter = null;
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(producer.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          int space = line.indexOf(' ');
          long n = Long.parseLong(line.substring(0, space));
          committed.put(n, Instant.parse(line.substring(space + 1)));
          if (n == 0) {
            meter = Meter.start(database);
          }
        }
      }
      int exitCode = producer.waitFor();
      if (exitCode != 0) {
        throw new IllegalStateException("The producer exited with code " + exitCode);
      }
      return new Produced(committed, Objects.requireNonNull(meter, "no warm-up"));
    } finally {
      producer.destroy();
    }
  }
}
