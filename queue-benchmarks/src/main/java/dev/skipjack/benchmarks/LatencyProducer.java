package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Enqueues single jobs after random pauses and records their commit times. It is also the program
 * of {@link LatencyProcess}, which prints these times.
 */
public final class LatencyProducer {

  private static final long WARM_UP = 50;

  private LatencyProducer() {}

  /** Enqueues and commits job {@code n}. */
  @FunctionalInterface
  public interface Enqueue {
    void run(long n) throws Exception;
  }

  /** Receives the commit time of job {@code n}. */
  @FunctionalInterface
  public interface Commits {
    void add(long n, Instant committed) throws Exception;
  }

  /** Returns the number of warm-up jobs. They are numbered from 0 down, measured jobs from 1 up. */
  public static long warmUp(long jobs) {
    return Math.min(WARM_UP, jobs);
  }

  /**
   * Reads the URL from the first line of standard input. Each further line contains a number of
   * jobs and a rate per second: the program enqueues these jobs, then reads the next line.
   */
  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = Objects.requireNonNull(in.readLine(), "no URL");
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setMaximumPoolSize(2);
      CommitClock clock = CommitClock.ofFirstConnection();
      JobQueue queue = JobQueue.builder(clock.watch(pool)).schema(BenchmarkDatabase.SCHEMA).build();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int space = line.indexOf(' ');
        double rate = Double.parseDouble(line.substring(space + 1));
        produce(
            clock,
            Long.parseLong(line.substring(0, space)),
            rate,
            n -> queue.enqueue(Noop.TYPE, Noop.number(n)),
            (n, committed) -> System.out.println(n + " " + committed));
        System.out.flush();
      }
    }
  }

  /**
   * Enqueues warm-up jobs, then {@code jobs} jobs.
   *
   * @param clock watches the pool that {@code enqueue} uses
   * @param rate jobs per second, on average
   */
  public static void produce(
      CommitClock clock, long jobs, double rate, Enqueue enqueue, Commits commits)
      throws Exception {
    double pauseMillis = 1_000 / rate;
    SplittableRandom random = new SplittableRandom();
    for (long n = 1 - warmUp(jobs); n <= jobs; n++) {
      Thread.sleep(
          Math.round(random.nextDouble(0.5, 1.5) * Math.min(pauseMillis, n > 0 ? 60_000 : 20)));
      long number = n;
      commits.add(n, clock.time(() -> enqueue.run(number)));
    }
  }
}
