package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Instant;
import java.util.Objects;
import java.util.SplittableRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The other process of {@link Latency}: enqueues single jobs and prints their commit times. */
public final class LatencyProducer {

  private static final long WARM_UP = 50;

  private @Nullable Instant committed;

  private LatencyProducer() {}

  /** Returns the number of warm-up jobs. They are numbered from 0 down, measured jobs from 1 up. */
  static long warmUp(long jobs) {
    return Math.min(WARM_UP, jobs);
  }

  /** Reads three lines from standard input: the URL, the number of jobs, and jobs per second. */
  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = Objects.requireNonNull(in.readLine(), "no URL");
    long jobs = Long.parseLong(Objects.requireNonNull(in.readLine(), "no jobs"));
    long rate = Long.parseLong(Objects.requireNonNull(in.readLine(), "no rate"));
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setMaximumPoolSize(2);
      new LatencyProducer().produce(pool, jobs, 1_000.0 / rate);
    }
  }

  private void produce(DataSource pool, long jobs, double pauseMillis) throws InterruptedException {
    JobQueue queue = JobQueue.builder(timingCommits(pool)).schema(BenchmarkDatabase.SCHEMA).build();
    SplittableRandom random = new SplittableRandom();
    for (long n = 1 - warmUp(jobs); n <= jobs; n++) {
      Thread.sleep(
          Math.round(random.nextDouble(0.5, 1.5) * Math.min(pauseMillis, n > 0 ? 60_000 : 20)));
      committed = null;
      queue.enqueue(Noop.TYPE, Noop.number(n));
      System.out.println(n + " " + Objects.requireNonNull(committed, "no commit"));
    }
    System.out.flush();
  }

  /**
   * Wraps the pool to record when the first connection is returned, which is right after the
   * commit. A wake-up may use a second connection afterwards.
   */
  private DataSource timingCommits(DataSource pool) {
    return proxy(
        DataSource.class,
        pool,
        (name, result) ->
            result instanceof Connection connection
                ? proxy(
                    Connection.class,
                    connection,
                    (method, returned) -> {
                      if (method.equals("close") && committed == null) {
                        committed = Instant.now();
                      }
                      return returned;
                    })
                : result);
  }

  @FunctionalInterface
  private interface After {
    @Nullable Object call(String method, @Nullable Object result);
  }

  private static <T> T proxy(Class<T> type, T target, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              try {
                return after.call(method.getName(), method.invoke(target, args));
              } catch (InvocationTargetException thrown) {
                throw Objects.requireNonNullElse(thrown.getCause(), thrown);
              }
            }));
  }
}
