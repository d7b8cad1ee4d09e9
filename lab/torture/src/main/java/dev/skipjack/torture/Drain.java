package dev.skipjack.torture;

import dev.skipjack.api.JobStatus;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Waits until nothing is left to do. Meanwhile, an operator frees the ordering keys that dead jobs
 * block, and the aggregates that dead events block.
 */
final class Drain {

  private static final Duration NO_PROGRESS = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 250;

  /**
   * Counts the jobs, events and batches that have not ended, the rows that were not taken, and the
   * steps that were not undone.
   */
  private static final String LIVE =
      "SELECT (SELECT count(*) FROM @jobs WHERE status <> '%s' AND queue IN ('%s'))"
              .formatted(JobStatus.DEAD.literal(), String.join("', '", Work.queues()))
          + " + (SELECT count(*) FROM @outbox_events WHERE status IN ('pending', 'blocked') AND aggregate_type = '%s')"
              .formatted(Change.AGGREGATE_TYPE)
          + " + (SELECT count(*) FROM @torture_rows WHERE NOT taken)"
          + " + (SELECT count(*) FROM @job_batches WHERE finished_at IS NULL AND sealed_at IS NOT NULL)"
          + " + (SELECT count(*) FROM @job_steps WHERE undo_kind IS NOT NULL AND type = 'run')";

  private final TortureDatabase database;
  private final JobQueue queue;
  private final Consumer<String> notes;

  Drain(TortureDatabase database, Consumer<String> notes) {
    this.database = database;
    this.queue = database.queue();
    this.notes = notes;
  }

  /** Pauses the schedules once they have caught up on the fires that faults delayed. */
  void pauseSchedules() throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + NO_PROGRESS.toNanos();
    while (!database.value(ScheduledWork.OVERDUE).equals("0")) {
      if (System.nanoTime() > deadline) {
        notes.accept("Schedules are late although all faults are removed.");
        break;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    ScheduledWork.pause(queue.schedules());
  }

  /**
   * Waits until every job has ended or is dead, every event is published or dead, and every row is
   * taken. Returns earlier if the number of unfinished ones has not fallen for a minute.
   */
  void await(Path folder) throws SQLException, InterruptedException {
    try (HistoryFile history = HistoryFile.open(folder, "operator")) {
      new LimitOperator(queue.admin(), history).relax();
      await(
          new Operator(queue.reader(), queue.admin(), history),
          new EventOperator(Outbox.on(queue).admin(), history));
    }
  }

  private void await(Operator operator, EventOperator events)
      throws SQLException, InterruptedException {
    SplittableRandom random = new SplittableRandom(1);
    long fewest = Long.MAX_VALUE;
    long lastProgress = System.nanoTime();
    while (true) {
      long live = Long.parseLong(database.value(LIVE));
      if (live == 0) {
        return;
      }
      if (live < fewest) {
        fewest = live;
        lastProgress = System.nanoTime();
      } else if (System.nanoTime() - lastProgress > NO_PROGRESS.toNanos()) {
        notes.accept(
            "%d jobs, events and rows are still live, and none has ended for %d s."
                .formatted(live, NO_PROGRESS.toSeconds()));
        return;
      }
      operator.freeBlockedKeys(random);
      events.unblockAggregates();
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }
}
