package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.DeferredWakeUps;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Measures the time from the commit of a caller's transaction to the start of the handler while
 * such transactions overlap, with wake-ups that are sent with the commit and after it.
 *
 * <p>Each thread opens transactions that enqueue a job at their beginning and stay open for up to a
 * tenth of a second, which is also the time in which only one of several transactions sends its
 * wake-up with the commit.
 */
final class Joined implements Benchmark {

  private static final String AFTER = "after the commit";
  private static final String WITH = "with the commit";

  private static final int LONGEST_TRANSACTION = 100;
  private static final int LONGEST_PAUSE = 400;

  /** The transactions of a thread in a second, on average. */
  private static final double OF_THREAD = 2_000.0 / (LONGEST_TRANSACTION + LONGEST_PAUSE);

  @Override
  public String purpose() {
    return "from the commits of overlapping transactions to the handler, waking after and with"
        + " them";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.WORKERS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int threads = options.count(Setting.WORKERS, 10);
    long jobs = options.number(Setting.JOBS, 300);
    double rate = threads * OF_THREAD;
    DataSource connections = database.pool(threads);
    JobQueue producers = database.queue(connections, BenchmarkDatabase.SCHEMA);
    JobQueue consumers = database.queue(6);
    Rounds rounds =
        new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), jobs / rate, notes);
    for (String way : List.of(AFTER, WITH)) {
      rounds.variant(
          way,
          seconds ->
              measure(
                  database,
                  consumers,
                  new Producers(connections, producers, way.equals(AFTER)),
                  threads,
                  Math.max(1, Math.round(seconds * rate))));
    }
    Rounds.Results results = rounds.run();
    Report report = new Report("joined", "ms").finding(results, AFTER, WITH).put("jobs", jobs);
    Latency.figures(results.of(AFTER)).forEach(report::put);
    Latency.figures(results.of(WITH))
        .forEach((name, value) -> report.put("with_commit_" + name, value));
    return report.row(AFTER, results.of(AFTER)).row(WITH, results.of(WITH));
  }

  private static Sample measure(
      BenchmarkDatabase database, JobQueue consumers, Producers producers, int threads, long jobs)
      throws Exception {
    Map<Long, Long> started = new ConcurrentHashMap<>();
    Map<Long, Long> committed = new ConcurrentHashMap<>();
    CompletionLatch completed = new CompletionLatch(jobs);
    Costs costs;
    Latency.Running worker =
        Latency.worker(
            database,
            consumers,
            WorkerConfig.defaults(),
            n -> started.putIfAbsent(n, System.nanoTime()),
            completed);
    try {
      Meter meter = Meter.start(database);
      AtomicLong next = new AtomicLong(1);
      Parallel.run(
          threads,
          thread -> {
            SplittableRandom random = new SplittableRandom();
            for (long n = next.getAndIncrement(); n <= jobs; n = next.getAndIncrement()) {
              Thread.sleep(random.nextInt(LONGEST_PAUSE));
              committed.put(n, producers.enqueue(n, random.nextInt(LONGEST_TRANSACTION)));
            }
          });
      completed.await();
      costs = meter.stop(jobs);
    } finally {
      worker.close();
    }
    Latencies latencies = new Latencies();
    committed.forEach(
        (n, at) -> latencies.addNanos(Objects.requireNonNull(started.get(n), "job " + n) - at));
    return new Sample(latencies.millis(50), costs, latencies.figures(""));
  }

  /** Enqueues in transactions of its own. */
  private record Producers(DataSource connections, JobQueue queue, boolean afterCommit) {

    /** Returns when the transaction was committed, as a value of {@link System#nanoTime()}. */
    long enqueue(long n, long openForMillis) throws SQLException, InterruptedException {
      try (Connection transaction = connections.getConnection()) {
        transaction.setAutoCommit(false);
        DeferredWakeUps wakeUps = queue.deferWakeUps();
        (afterCommit ? queue.in(transaction, wakeUps) : queue.in(transaction))
            .enqueue(Noop.TYPE, Noop.number(n));
        Thread.sleep(openForMillis);
        transaction.commit();
        long committed = System.nanoTime();
        wakeUps.send(transaction);
        return committed;
      }
    }
  }
}
