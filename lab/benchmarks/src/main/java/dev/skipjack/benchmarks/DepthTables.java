package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * The two tables of {@link Depth}, a full one and an almost empty one, in separate schemas. A
 * worker alternates between them.
 */
final class DepthTables {

  /** The variant that claims from the full table. */
  static final String FULL = "full";

  /** The variant that claims from the almost empty table. */
  static final String SHALLOW = "almost empty";

  private static final String SHALLOW_SCHEMA = BenchmarkDatabase.SCHEMA + "_shallow";
  private static final int HANDLERS = 8;

  private final BenchmarkDatabase database;
  private final JobQueue full;
  private final JobQueue shallow;
  private final long due;
  private final int warmUps;
  private final int runs;
  private final Consumer<String> notes;

  /**
   * Creates the schema of the almost empty table.
   *
   * @param due number of jobs claimed in one run
   * @param warmUps number of discarded runs per case and table
   * @param runs number of measured runs per case and table
   */
  DepthTables(BenchmarkDatabase database, long due, int warmUps, int runs, Consumer<String> notes)
      throws SQLException {
    this.database = database;
    this.due = due;
    this.warmUps = warmUps;
    this.runs = runs;
    this.notes = notes;
    database.create(SHALLOW_SCHEMA);
    DataSource pool = database.pool(8);
    full = database.queue(pool, BenchmarkDatabase.SCHEMA);
    shallow = database.queue(pool, SHALLOW_SCHEMA);
  }

  JobQueue full() {
    return full;
  }

  /**
   * Runs a worker that alternates between the tables. Each run first inserts the jobs that it will
   * complete, so the full table has the same size before every run.
   *
   * @param queues the queues that the worker serves
   * @param priority priority of the inserted jobs in the full table, as an SQL expression
   * @return for each run, the median duration, in milliseconds, of the claims that returned jobs
   */
  Rounds.Results measure(List<String> queues, String priority) throws Exception {
    return new Rounds(warmUps, runs, 0, notes)
        .variant(
            SHALLOW,
            seconds -> {
              database.empty(SHALLOW_SCHEMA);
              return run(SHALLOW_SCHEMA, shallow, queues, "0");
            })
        .variant(FULL, seconds -> run(BenchmarkDatabase.SCHEMA, full, queues, priority))
        .run();
  }

  private Sample run(String schema, JobQueue queue, List<String> queues, String priority)
      throws Exception {
    database.preload(schema, due, queueExpression(queues), Noop.TYPE.kind(), priority);
    database.settle(schema);
    Latencies latencies = new Latencies();
    QueueAccess access =
        TimedAccess.of(
            queue,
            (jobs, marked, nanos) -> {
              if (jobs > 0) {
                latencies.addNanos(nanos);
              }
            });
    CompletionLatch latch = new CompletionLatch(due);
    Worker.Builder worker =
        Worker.on(access)
            .name("bench")
            .config(WorkerConfig.builder().prefetch(0).build())
            .handle(Noop.TYPE.onQueue(queues.get(0)), (payload, context) -> Outcome.completed())
            .listener(latch);
    for (String name : queues) {
      worker.queue(name, Math.max(1, HANDLERS / queues.size()));
    }
    Meter meter = Meter.start(database);
    Worker started = worker.start();
    try {
      latch.await();
      return new Sample(
          latencies.millis(50),
          meter.stop(due),
          Map.of("claims", (double) latencies.count(), "p99_ms", latencies.millis(99)));
    } finally {
      started.close();
    }
  }

  private static String queueExpression(List<String> queues) {
    return queues.size() == 1 ? "'" + queues.get(0) + "'" : "'q' || n % " + queues.size();
  }
}
