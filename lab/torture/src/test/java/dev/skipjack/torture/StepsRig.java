package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of jobs with durable steps, within one process and without faults. It uses the producer,
 * the handlers and the checker of a full run.
 */
final class StepsRig {

  private static final int JOBS = 80;
  private static final int CONCURRENCY = 4;

  /** The time after which a drain is abandoned. The steps of broken queues may never be undone. */
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final String LIVE =
      "SELECT (SELECT count(*) FROM @jobs WHERE status <> 'dead')"
          + " + (SELECT count(*) FROM @job_batches WHERE finished_at IS NULL)"
          + " + (SELECT count(*) FROM @job_steps WHERE undo_kind IS NOT NULL AND type = 'run')";

  private final QueueDatabase database;
  private final Path folder;
  private final @Nullable BrokenSteps broken;

  /**
   * @param database an empty database
   * @param broken the broken steps; null for the real ones
   */
  StepsRig(QueueDatabase database, Path folder, @Nullable BrokenSteps broken) {
    this.database = database;
    this.folder = folder;
    this.broken = broken;
  }

  @SuppressWarnings("try") // the worker works without being called
  TortureReport run(long seed) throws Exception {
    Sql sql = new Sql(database.dataSource(), database.schema());
    for (String table : TortureDatabase.TABLES) {
      sql.run(table);
    }
    if (broken != null && !broken.sql().isEmpty()) {
      sql.run(broken.sql());
    }
    try (HikariDataSource pool =
            database.newDataSource(CONCURRENCY + WorkerProcess.CONNECTIONS + 2);
        HistoryFile history = HistoryFile.open(folder, "worker-1");
        HistoryFile produced = HistoryFile.open(folder, "producer-1")) {
      JobQueue queue = JobQueue.builder(pool).schema(database.schema()).build();
      try (Worker unused = worker(queue, pool, history)) {
        new Producer(
                ProducerAccess.of(queue, pool, database.schema()),
                produced,
                "producer-1",
                seed,
                new WorkSource("producer-1", Rig.PACE, random -> Workload.STEPS),
                null)
            .produce(0, JOBS, Duration.ZERO, Duration.ofMillis(3));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (sql.number(LIVE) > 0 && System.nanoTime() < deadline) {
          Thread.sleep(20);
        }
      }
    }
    FinalRead read = FinalReader.read(database.dataSource(), database.schema());
    return TortureReport.of(Map.of(), HistoryFile.readAll(folder), read, Rig.PACE);
  }

  private Worker worker(JobQueue queue, HikariDataSource pool, HistoryFile history) {
    Handlers handlers = new Handlers(pool, database.schema(), history);
    StepWork steps = new StepWork(pool, database.schema());
    Worker.Builder builder =
        Worker.on(queue)
            .name("worker-1")
            // No lease is lost, even on a slow machine.
            .config(Pace.FORKED.config())
            .listener(handlers::on)
            .queue(Work.QUEUE, CONCURRENCY)
            .queue(StepWork.FOLLOWERS, 1)
            .handle(
                Work.type(Workload.STEPS),
                (work, context) -> {
                  if (broken == BrokenSteps.REPEATS_STEPS && context.attempt() > 1) {
                    String unused = steps.record(context, StepWork.ACCOUNT, "");
                  }
                  return handlers.handle(work, context);
                });
    StepWork.handleFollowers(builder);
    return builder.start();
  }
}
