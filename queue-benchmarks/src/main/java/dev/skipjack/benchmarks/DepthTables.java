package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * The full table of {@link Depth} and the almost empty one, each in a schema of its own: both stay
 * as they are while a worker's runs in them take turns.
 */
final class DepthTables {

  /** The ways of {@link #turns}. */
  static final String FULL = "full";

  /** The ways of {@link #turns}. */
  static final String SHALLOW = "almost empty";

  private static final String SHALLOW_SCHEMA = BenchmarkDatabase.SCHEMA + "_shallow";
  private static final int HANDLERS = 8;

  private final BenchmarkDatabase database;
  private final JobQueue full;
  private final JobQueue shallow;
  private final long due;
  private final int runs;
  private final Consumer<String> notes;

  /**
   * Makes the second schema.
   *
   * @param due jobs of one run
   * @param runs of each case and table that count
   */
  DepthTables(BenchmarkDatabase database, long due, int runs, Consumer<String> notes)
      throws SQLException {
    this.database = database;
    this.due = due;
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
   * Lets runs in the full table and in the other take turns. What a run takes from the full table
   * is put there before it, so that this is as full at the end.
   *
   * @param queues those that the worker serves
   * @param priority of what is put into the full table, as an SQL expression
   * @return medians of the worker's claims that took something, in milliseconds
   */
  Rounds.Results turns(List<String> queues, String priority) throws Exception {
    return new Rounds(runs, 0, notes)
        .way(
            SHALLOW,
            seconds -> {
              database.empty(SHALLOW_SCHEMA);
              return run(SHALLOW_SCHEMA, shallow, queues, "0");
            })
        .way(FULL, seconds -> run(BenchmarkDatabase.SCHEMA, full, queues, priority))
        .run();
  }

  private Sample run(String schema, JobQueue queue, List<String> queues, String priority)
      throws Exception {
    database.preload(schema, due, among(queues), Noop.TYPE.kind(), priority);
    database.settle(schema);
    Latencies latencies = new Latencies();
    TimedAccess access =
        new TimedAccess(
            queue,
            (jobs, marked, nanos) -> {
              if (jobs > 0) {
                latencies.addNanos(nanos);
              }
            });
    Finish finish = new Finish(due);
    Worker.Builder worker =
        Worker.on(access)
            .name("bench")
            .config(WorkerConfig.builder().prefetch(0).build())
            .handle(Noop.TYPE.onQueue(queues.get(0)), (payload, context) -> Outcome.completed())
            .listener(finish);
    for (String name : queues) {
      worker.queue(name, Math.max(1, HANDLERS / queues.size()));
    }
    Meter meter = Meter.start(database);
    Worker started = worker.start();
    try {
      finish.await();
      return new Sample(
          latencies.millis(50),
          meter.stop(due),
          Map.of("claims", (double) latencies.count(), "p99_ms", latencies.millis(99)));
    } finally {
      started.close();
    }
  }

  private static String among(List<String> queues) {
    return queues.size() == 1 ? "'" + queues.get(0) + "'" : "'q' || n % " + queues.size();
  }
}
