package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerEvent;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The program that {@link WorkerProcess} runs: a worker whose handlers do nothing. It reads the URL
 * from the first line of standard input, then these commands:
 *
 * <ul>
 *   <li>{@code start HANDLERS PREFETCH} starts a worker, and prints {@code started}.
 *   <li>{@code stop} stops it, and prints {@code stopped} with the figures of its claims.
 * </ul>
 *
 * <p>In between, it prints the number of jobs that were completed since the last such line.
 */
public final class WorkerProgram {

  private static final int CONNECTIONS = 5;

  private static final long REPORT_MILLIS = 10;

  private WorkerProgram() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(Objects.requireNonNull(in.readLine(), "no URL"));
      pool.setMaximumPoolSize(CONNECTIONS);
      JobQueue queue = JobQueue.builder(pool).schema(BenchmarkDatabase.SCHEMA).build();
      AtomicLong completed = new AtomicLong();
      report(completed);
      BatchSizes sizes = new BatchSizes();
      @Nullable Worker worker = null;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        if (worker == null) {
          sizes = new BatchSizes();
          worker =
              start(
                  queue,
                  sizes,
                  Integer.parseInt(words[1]),
                  Integer.parseInt(words[2]),
                  completed);
          System.out.println("started");
        } else {
          worker.close();
          worker = null;
          System.out.println(
              "stopped %d %d".formatted(sizes.claims(), sizes.emptyClaims()));
        }
      }
    }
  }

  private static Worker start(
      JobQueue queue, BatchSizes sizes, int handlers, int prefetch, AtomicLong completed) {
    return Worker.on(TimedAccess.of(queue, sizes))
        .name("bench")
        .config(WorkerConfig.builder().prefetch(prefetch).build())
        .handle(Noop.TYPE, (payload, context) -> Outcome.completed())
        .queue(Noop.TYPE.queue(), handlers)
        .listener(
            event -> {
              if (event instanceof WorkerEvent.Succeeded) {
                completed.incrementAndGet();
              }
            })
        .start();
  }

  /** Prints how many jobs were completed, so rarely that it costs nothing. */
  private static void report(AtomicLong completed) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  Thread.sleep(REPORT_MILLIS);
                  long jobs = completed.getAndSet(0);
                  if (jobs > 0) {
                    System.out.println(jobs);
                  }
                }
              } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
              }
            },
            "bench-report");
    thread.setDaemon(true);
    thread.start();
  }
}
