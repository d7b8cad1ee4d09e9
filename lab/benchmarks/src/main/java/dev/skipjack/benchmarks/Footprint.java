package dev.skipjack.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Measures the resources that a worker uses: the heap after garbage collection (at a tenth of the
 * jobs and at the end), the bytes allocated per job, the threads, the connections, and the
 * statements per second while idle. It also measures the throughput with few and many handler
 * threads, and with eight workers in this JVM.
 */
final class Footprint implements Benchmark {

  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final int HANDLERS = 8;
  private static final int MANY_HANDLERS = 200;
  private static final int WORKERS = 8;
  private static final int CONNECTIONS = 8;
  private static final double MEGABYTE = 1_048_576;

  @Override
  public String purpose() {
    return "heap, allocations, threads, connections, idle statements; few and many handlers";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.ARCHIVE, Setting.RUNS, Setting.SECONDS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, 1_000_000);
    database.archive(options.number(Setting.ARCHIVE, 0) == 1, Noop.TYPE.queue());
    Report report = new Report("footprint", "MB");
    heap(database, jobs, report, notes);
    // Another worker is measured, because counting statements allocates memory too.
    report.put("idle_statements_per_s", Idle.measure(database, options.seconds(20), notes).rate());
    throughput(database, Math.max(100, jobs / 10), options, report, notes);
    return report;
  }

  private static void heap(
      BenchmarkDatabase database, long jobs, Report report, Consumer<String> notes)
      throws Exception {
    CountingCodec codec = new CountingCodec();
    var pool = database.pool(CONNECTIONS);
    JobQueue queue = JobQueue.builder(pool).schema(BenchmarkDatabase.SCHEMA).codec(codec).build();
    long few = Math.max(1, jobs / 10);
    long many = Math.max(1, jobs - few);
    CompletionLatch first = new CompletionLatch(few);
    CompletionLatch all = new CompletionLatch(few + many);
    database.empty();
    int threadsBefore = THREADS.getThreadCount();
    Worker worker =
        Worker.on(queue)
            .name("bench")
            .handle(Noop.TYPE, (payload, context) -> Outcome.completed())
            .queue(Noop.TYPE.queue(), HANDLERS)
            .listener(first)
            .listener(all)
            .start();
    try {
      database.preload(few, "'default'", Noop.TYPE.kind(), "0");
      first.await();
      double before = heapMegabytes();
      int threads = THREADS.getThreadCount() - threadsBefore;
      notes.accept("heap after %,d jobs: %.1f MB".formatted(few, before));
      long allocated = allocated();
      long decoded = codec.allocated();
      Peak connections = new Peak(() -> pool.getHikariPoolMXBean().getActiveConnections());
      database.preload(many, "'default'", Noop.TYPE.kind(), "0");
      // The meter starts after the INSERT, which is not work of the worker.
      Meter meter = Meter.start(database);
      all.await();
      Costs costs = meter.stop(many);
      double perJob = (allocated() - allocated - (codec.allocated() - decoded)) / (double) many;
      double after = heapMegabytes();
      notes.accept("heap after %,d jobs: %.1f MB".formatted(few + many, after));
      report
          .finding(List.of(new Sample(after, costs, Map.of())))
          .put("jobs", few + many)
          .put("heap_at_a_tenth_mb", before)
          .put("heap_grown_mb", after - before)
          .put("allocated_bytes_per_job", perJob)
          .put("threads", threads)
          .put("most_connections", connections.stop());
    } finally {
      worker.close();
    }
  }

  private static void throughput(
      BenchmarkDatabase database, long jobs, Options options, Report report, Consumer<String> notes)
      throws Exception {
    JobQueue queue = database.queue(CONNECTIONS);
    Rounds rounds = new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), 0, notes);
    for (int handlers : List.of(HANDLERS, 50, MANY_HANDLERS)) {
      rounds.variant(
          "1 worker, %d handlers".formatted(handlers),
          seconds -> {
            Drain.prepare(database, jobs);
            return Drain.drain(database, queue, jobs, handlers, WorkerConfig.defaults());
          });
    }
    List<JobQueue> queues = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      queues.add(database.queue(5));
    }
    String several = "%d workers, %d handlers each".formatted(WORKERS, HANDLERS);
    rounds.variant(several, seconds -> severalWorkers(database, queues, jobs));
    Rounds.Results results = rounds.run();
    Map<String, Double> medians = new LinkedHashMap<>();
    results
        .samples()
        .keySet()
        .forEach(way -> medians.put(way, Statistics.median(results.values(way))));
    double best = Statistics.max(medians.values());
    report
        .variants(results)
        .put(
            "many_handlers_ratio",
            medians.getOrDefault("1 worker, %d handlers".formatted(MANY_HANDLERS), 0.0) / best)
        .put(
            "several_workers_ratio",
            Statistics.median(
                results.ratios(several, "1 worker, %d handlers".formatted(HANDLERS))));
  }

  private static Sample severalWorkers(BenchmarkDatabase database, List<JobQueue> queues, long jobs)
      throws Exception {
    Drain.prepare(database, jobs);
    CompletionLatch latch = new CompletionLatch(jobs);
    List<Worker> workers = new ArrayList<>();
    try {
      Meter meter = Meter.start(database);
      for (JobQueue queue : queues) {
        workers.add(
            Worker.on(queue)
                .name("bench-" + workers.size())
                .handle(Noop.TYPE, (payload, context) -> Outcome.completed())
                .queue(Noop.TYPE.queue(), HANDLERS)
                .listener(latch)
                .start());
      }
      latch.await();
      return Sample.rate(jobs, meter.stop(jobs));
    } finally {
      if (!workers.isEmpty()) {
        Parallel.run(workers.size(), number -> workers.get(number).close());
      }
    }
  }

  /** Returns the smallest heap size seen after several garbage collections. */
  private static double heapMegabytes() throws InterruptedException {
    double min = Double.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(50);
      min =
          Math.min(
              min, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE);
    }
    return min;
  }

  /**
   * Returns the bytes allocated by all live threads except the current one, which only measures.
   */
  private static long allocated() {
    long sum = 0;
    long self = Thread.currentThread().getId();
    for (long id : THREADS.getAllThreadIds()) {
      sum += id == self ? 0 : Math.max(0, THREADS.getThreadAllocatedBytes(id));
    }
    return sum;
  }

  /** Finds the maximum of a value that it samples every two milliseconds. */
  private static final class Peak {

    private final AtomicInteger max = new AtomicInteger();
    private final AtomicLong stopped = new AtomicLong();
    private final Thread thread;

    Peak(IntSupplier level) {
      thread =
          new Thread(
              () -> {
                try {
                  while (stopped.get() == 0) {
                    max.accumulateAndGet(level.getAsInt(), Math::max);
                    Thread.sleep(2);
                  }
                } catch (InterruptedException ended) {
                  Thread.currentThread().interrupt();
                }
              },
              "bench-peak");
      thread.setDaemon(true);
      thread.start();
    }

    int stop() throws InterruptedException {
      stopped.set(1);
      thread.join();
      return max.get();
    }
  }
}
