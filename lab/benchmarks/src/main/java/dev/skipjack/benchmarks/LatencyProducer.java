package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.store.jooq.JobQueue;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import javax.sql.DataSource;

/**
 * Enqueues single jobs after random pauses and records their commit times. It is also the program
 * that {@link LatencyProcess} runs, which prints these times.
 */
public final class LatencyProducer {

  private static final long WARM_UP = 50;

  private static final JobType<Noop> KEYED = Noop.TYPE.orderedBy(payload -> "key " + payload.n());

  private LatencyProducer() {}

  /** The queue into which the process enqueues. */
  public enum Target {
    /** Skipjack, in the measured schema. */
    SKIPJACK,
    /** Like SKIPJACK, but in the caller's transaction. */
    TRANSACTION,
    /** Like SKIPJACK, with an ordering key for each job. */
    ORDERED,
    /** Like ORDERED, but in the caller's transaction. */
    ORDERED_TRANSACTION,
    /** The table of {@link BareQueue}. */
    BARE
  }

  /** Enqueues and commits job {@code n}, and returns when it was committed. */
  @FunctionalInterface
  public interface Enqueue {
    Instant run(long n) throws Exception;
  }

  /** Receives when the enqueue of job {@code n} was called, and when it was committed. */
  @FunctionalInterface
  public interface Commits {
    void add(long n, Instant called, Instant committed) throws Exception;
  }

  /**
   * Returns the number of warm-up jobs. They are numbered downwards from 0; measured jobs are
   * numbered upwards from 1.
   */
  public static long warmUp(long jobs) {
    return Math.min(WARM_UP, jobs);
  }

  /**
   * Runs the program. It reads the URL from the first line of standard input. Each further line
   * contains a {@link Target}, a number of jobs and a rate per second. The program enqueues these
   * jobs before it reads the next line.
   */
  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = Objects.requireNonNull(in.readLine(), "no URL");
    try (HikariDataSource pool = new HikariDataSource();
        Connection bare = DriverManager.getConnection(url)) {
      pool.setJdbcUrl(url);
      pool.setMaximumPoolSize(2);
      CommitClock clock = CommitClock.ofFirstConnection();
      DataSource watched = clock.watch(pool);
      JobQueue queue = JobQueue.builder(watched).schema(BenchmarkDatabase.SCHEMA).build();
      Map<Target, Enqueue> targets =
          Map.of(
              Target.SKIPJACK,
              n -> clock.time(() -> queue.enqueue(Noop.TYPE, Noop.number(n))),
              Target.TRANSACTION,
              n -> clock.time(() -> inTransaction(watched, queue, Noop.TYPE, n)),
              Target.ORDERED,
              n -> clock.time(() -> queue.enqueue(KEYED, Noop.number(n))),
              Target.ORDERED_TRANSACTION,
              n -> clock.time(() -> inTransaction(watched, queue, KEYED, n)),
              Target.BARE,
              n -> {
                BareQueue.enqueue(bare, n);
                return Instant.now();
              });
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", 3);
        produce(
            Long.parseLong(words[1]),
            Double.parseDouble(words[2]),
            Objects.requireNonNull(targets.get(Target.valueOf(words[0]))),
            (n, called, committed) -> System.out.println(n + " " + called + " " + committed));
        System.out.flush();
      }
    }
  }

  private static void inTransaction(
      DataSource connections, JobQueue queue, JobType<Noop> type, long n) throws SQLException {
    try (Connection transaction = connections.getConnection()) {
      transaction.setAutoCommit(false);
      queue.in(transaction).enqueue(type, Noop.number(n));
      transaction.commit();
    }
  }

  /**
   * Enqueues warm-up jobs, then {@code jobs} jobs.
   *
   * @param rate jobs per second, on average
   */
  public static void produce(long jobs, double rate, Enqueue enqueue, Commits commits)
      throws Exception {
    double pauseMillis = 1_000 / rate;
    SplittableRandom random = new SplittableRandom();
    for (long n = 1 - warmUp(jobs); n <= jobs; n++) {
      Thread.sleep(
          Math.round(random.nextDouble(0.5, 1.5) * Math.min(pauseMillis, n > 0 ? 60_000 : 20)));
      Instant called = Instant.now();
      commits.add(n, called, enqueue.run(n));
    }
  }
}
