package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the throughput of preloaded no-op jobs with one and with several workers on the same
 * lane, each in a process of its own, and how they share the jobs. All processes are started, and
 * each of them drains a backlog alone, before anything is measured.
 */
final class Processes implements Benchmark {

  private static final int PROCESSES = 8;
  private static final int HANDLERS = 8;

  /** The time for the workers to start listening for wake-ups, before the jobs may run. */
  private static final long LISTENING_MILLIS = 500;

  @Override
  public String purpose() {
    return "preloaded no-op jobs through one and through several worker processes";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.WORKERS, Setting.BATCH, Setting.RUNS, Setting.ARCHIVE);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, 150_000);
    int most = options.count(Setting.WORKERS, PROCESSES);
    int prefetch = options.count(Setting.BATCH, WorkerConfig.defaults().prefetch());
    boolean archive = options.number(Setting.ARCHIVE, 1) == 1;
    database.archive(archive, Noop.TYPE.queue());
    JobQueue queue = database.queue(1);
    List<WorkerProcess> processes = new ArrayList<>();
    try {
      for (int i = 0; i < most; i++) {
        processes.add(new WorkerProcess(database));
      }
      for (WorkerProcess process : processes) {
        drain(database, queue, List.of(process), jobs, prefetch);
      }
      Rounds rounds = new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), 0, notes);
      for (int count = 1; count < most; count *= 2) {
        add(rounds, count, database, queue, processes, jobs, prefetch);
      }
      add(rounds, most, database, queue, processes, jobs, prefetch);
      Rounds.Results results = rounds.run();
      String several = name(most);
      Report report =
          new Report("processes", "jobs/s")
              .finding(results, several, name(1))
              .put("jobs", jobs)
              .put("handlers", HANDLERS)
              .put("prefetch", prefetch)
              .put("archive", archive ? "keep" : "none");
      Latency.figures(results.of(several)).forEach(report::put);
      results.samples().forEach((name, samples) -> report.row(row(name, samples)));
      return report;
    } finally {
      processes.forEach(WorkerProcess::close);
    }
  }

  private static String name(int processes) {
    return processes == 1 ? "1 process" : processes + " processes";
  }

  private static void add(
      Rounds rounds,
      int count,
      BenchmarkDatabase database,
      JobQueue queue,
      List<WorkerProcess> processes,
      long jobs,
      int prefetch) {
    int[] first = {0}; // another process in each round, so that all of them are equally warm
    rounds.variant(
        name(count),
        seconds -> {
          List<WorkerProcess> some = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            some.add(processes.get((first[0] + i) % processes.size()));
          }
          first[0]++;
          return drain(database, queue, some, jobs, prefetch);
        });
  }

  private static Map<String, @Nullable Object> row(String name, List<Sample> samples) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    List<Double> values = samples.stream().map(Sample::value).toList();
    row.put("way", name);
    row.put("median", Statistics.median(values));
    row.put("least", Statistics.min(values));
    row.put("most", Statistics.max(values));
    row.put("server_cpu_us", Report.median(samples, Costs::serverMicros));
    row.put("client_cpu_us", Report.median(samples, Costs::clientMicros));
    row.put("wal_bytes", Report.median(samples, Costs::walBytes));
    row.putAll(Latency.figures(samples));
    return row;
  }

  /** Starts a worker in each process and waits until they have completed the jobs. */
  private static Sample drain(
      BenchmarkDatabase database,
      JobQueue queue,
      List<WorkerProcess> processes,
      long jobs,
      int prefetch)
      throws Exception {
    database.empty();
    queue.admin().pause(Noop.TYPE.queue());
    database.preload(jobs - 1, "'default'", Noop.TYPE.kind(), "0");
    database.settle();
    CompletionLatch latch = new CompletionLatch(jobs);
    List<WorkerProcess.Running> running = new ArrayList<>();
    for (WorkerProcess process : processes) {
      running.add(process.start(HANDLERS, prefetch, 0, latch));
    }
    Thread.sleep(LISTENING_MILLIS);
    Meter meter = Meter.start(database);
    Duration cpu = cpu(processes);
    queue.admin().resume(Noop.TYPE.queue());
    queue.enqueue(Noop.TYPE, Noop.number(jobs)); // wakes all workers
    latch.await();
    Costs costs = meter.stop(jobs);
    double client = cpu(processes).minus(cpu).toNanos() / 1_000.0 / jobs;
    List<WorkerProcess.Work> work = new ArrayList<>();
    for (WorkerProcess.Running worker : running) {
      work.add(worker.stop());
    }
    Drain.check(database, jobs);
    return new Sample(
        jobs / costs.seconds(),
        new Costs(costs.seconds(), costs.serverMicros(), client, costs.walBytes()),
        figures(work));
  }

  static Duration cpu(List<WorkerProcess> processes) {
    return processes.stream().map(WorkerProcess::cpu).reduce(Duration.ZERO, Duration::plus);
  }

  private static Map<String, Double> figures(List<WorkerProcess.Work> work) {
    List<Double> shares = work.stream().map(one -> (double) one.jobs()).toList();
    double claims = work.stream().mapToDouble(WorkerProcess.Work::claims).sum();
    double jobs = shares.stream().mapToDouble(Double::doubleValue).sum();
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("least_share", Statistics.min(shares));
    figures.put("most_share", Statistics.max(shares));
    figures.put("jobs_per_claim", jobs / Math.max(1, claims));
    figures.put("empty_claims", work.stream().mapToDouble(WorkerProcess.Work::emptyClaims).sum());
    return figures;
  }
}
