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

/**
 * The program that {@link WorkerProcess} runs: a worker whose handlers only wait. It reads the URL
 * from the first line of standard input. The next line contains the number of handlers, the
 * prefetch and the milliseconds that a job takes; the program starts a worker and prints {@link
 * #STARTED}. After {@link #STOP}, it stops the worker and prints {@link #STOPPED} with the figures
 * of its claims. In between, it prints the number of jobs that were completed since the last such
 * line. It can start and stop several workers, one after another.
 */
public final class WorkerProgram {

  static final String STARTED = "started";
  static final String STOP = "stop";
  static final String STOPPED = "stopped";

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
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        BatchSizes sizes = new BatchSizes();
        Worker worker;
        synchronized (completed) { // numbers follow STARTED
          worker =
              start(
                  queue,
                  sizes,
                  Integer.parseInt(words[0]),
                  Integer.parseInt(words[1]),
                  Long.parseLong(words[2]),
                  completed);
          System.out.println(STARTED);
        }
        String stop = in.readLine();
        worker.close();
        if (stop == null) { // the benchmark has ended
          return;
        }
        print(completed);
        System.out.println("%s %d %d".formatted(STOPPED, sizes.claims(), sizes.emptyClaims()));
      }
    }
  }

  private static Worker start(
      JobQueue queue,
      BatchSizes sizes,
      int handlers,
      int prefetch,
      long millis,
      AtomicLong completed) {
    return Worker.on(TimedAccess.of(queue, sizes))
        .name("bench")
        .config(WorkerConfig.builder().prefetch(prefetch).build())
        .handle(
            Noop.TYPE,
            (payload, context) -> {
              if (millis > 0) {
                Thread.sleep(millis);
              }
              return Outcome.completed();
            })
        .queue(Noop.TYPE.queue(), handlers)
        .listener(
            event -> {
              if (event instanceof WorkerEvent.Succeeded) {
                completed.incrementAndGet();
              }
            })
        .start();
  }

  /** Prints how many jobs were completed, rarely enough to cost nothing. */
  private static void report(AtomicLong completed) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  Thread.sleep(REPORT_MILLIS);
                  print(completed);
                }
              } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
              }
            },
            "bench-report");
    thread.setDaemon(true);
    thread.start();
  }

  private static void print(AtomicLong completed) {
    synchronized (completed) {
      long jobs = completed.getAndSet(0);
      if (jobs > 0) {
        System.out.println(jobs);
      }
    }
  }
}
