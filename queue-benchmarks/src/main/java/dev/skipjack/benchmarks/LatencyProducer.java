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

/** The program of {@link LatencyProcess}: enqueues single jobs and prints their commit times. */
public final class LatencyProducer {

  private static final long WARM_UP = 50;

  private @Nullable Instant committed;

  private LatencyProducer() {}

  /** Returns the number of warm-up jobs. They are numbered from 0 down, measured jobs from 1 up. */
  static long warmUp(long jobs) {
    return Math.min(WARM_UP, jobs);
  }

  /**
   * Reads the URL from the first line of standard input. Each further line contains a number of
   * jobs and a rate per second: the program enqueues these jobs, then reads the next line.
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = Objects.requireNonNull(in.readLine(), "no URL");
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setMaximumPoolSize(2);
      LatencyProducer producer = new LatencyProducer();
      JobQueue queue =
          JobQueue.builder(producer.timingCommits(pool)).schema(BenchmarkDatabase.SCHEMA).build();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int space = line.indexOf(' ');
        double rate = Double.parseDouble(line.substring(space + 1));
        producer.produce(queue, Long.parseLong(line.substring(0, space)), 1_000 / rate);
      }
    }
  }

  private void produce(JobQueue queue, long jobs, double pauseMillis) throws InterruptedException {
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
