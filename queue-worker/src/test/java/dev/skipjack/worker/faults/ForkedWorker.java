package dev.skipjack.worker.faults;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerEvent;
import java.time.Duration;

/** A worker for the queue "default" in a separate process, as an application would run it. */
final class ForkedWorker {

  static final String NAME = "pod-0";
  static final Duration LEASE = Duration.ofSeconds(1);
  static final Duration DRAIN = Duration.ofSeconds(1);
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private ForkedWorker() {}

  /** Starts a worker process, which prints {@code ready} when the worker has started. */
  static ForkedJvm launch(String jdbcUrl, String schema, int concurrency) {
    return ForkedJvm.of(ForkedWorker.class)
        .arguments(jdbcUrl, schema, String.valueOf(concurrency))
        .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        .start();
  }

  /** Returns settings with short durations, so that tests need not wait long. */
  static WorkerConfig config() {
    return config(LEASE);
  }

  static WorkerConfig config(Duration lease) {
    return WorkerConfig.builder()
        .lease(lease)
        .pollInterval(Duration.ofMillis(50))
        .rescueInterval(Duration.ofMillis(100))
        .drainTimeout(DRAIN)
        .build();
  }

  /**
   * Runs the worker until the process is terminated.
   *
   * @param args URL, schema, concurrency
   */
  public static void main(String[] args) {
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(args[0]);
    int concurrency = Integer.parseInt(args[2]);
    settings.setMaximumPoolSize(concurrency + 4);
    HikariDataSource pool = new HikariDataSource(settings);
    JobQueue queue = JobQueue.builder(pool).schema(args[1]).build();
    Worker worker =
        Worker.on(queue)
            .name(NAME)
            .handle(Task.TYPE, new TaskHandler(pool))
            .queue("default", concurrency)
            .config(config())
            .listener(ForkedWorker::log)
            .start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  worker.close();
                  pool.close();
                  System.out.println("closed");
                }));
    System.out.println("ready");
  }

  private static void log(WorkerEvent event) {
    if (event instanceof WorkerEvent.Lost lost) {
      System.out.println("lost " + lost.attempt().executionId());
    }
  }
}
