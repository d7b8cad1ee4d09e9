package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the order of lanes by the jobs that ran. */
@QueueTest
@Timeout(60)
class LaneOrderIT {

  record Note(String from) {}

  private static final JobType<Note> NOTE = JobType.of("note", Note.class);

  private final QueueDatabase database;
  private final JobQueue queue;
  private final List<String> order = new CopyOnWriteArrayList<>();

  LaneOrderIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @Test
  void lowJobsGetATenthOfTheSlotsOfABusyQueue() {
    firstThousandOf(LaneOrder.fair());

    assertThat(Collections.frequency(order.subList(0, 1_000), "low")).isBetween(80, 110);
  }

  @Test
  void strictlyOrderedLowJobsWait() {
    firstThousandOf(LaneOrder.strict());

    assertThat(order.subList(0, 1_000)).containsOnly("high");
  }

  private void firstThousandOf(LaneOrder laneOrder) {
    queue.enqueueAll(NOTE.priority(-5), Collections.nCopies(200, new Note("low")));
    queue.enqueueAll(NOTE.priority(5), Collections.nCopies(1_800, new Note("high")));
    try (Worker worker = worker().queue("default", 2).order(laneOrder).start()) {
      await().until(() -> order.size() >= 1_000);
      assertThat(worker.status().started()).isTrue();
    }
  }

  /** A run in the calling thread is always strict within a queue. */
  @Test
  void runUntilIdleRunsByPriorityThenDueTimeThenId() throws SQLException {
    for (int i = 0; i < 160; i++) {
      Note note = new Note("job");
      int priority = i * 7 % 4;
      queue.enqueue(NOTE, note, job -> job.priority(priority));
    }
    execute("UPDATE @jobs SET scheduled_at = now() - (id * 11 % 5) * interval '1 minute'");
    List<Long> expected = ids("SELECT id FROM @jobs ORDER BY priority DESC, scheduled_at, id");
    List<Long> ran = new ArrayList<>();
    Worker worker =
        Worker.on(queue)
            .handle(
                NOTE,
                (note, context) -> {
                  ran.add(context.jobId().value());
                  return Outcome.completed();
                })
            .queue("default", 1)
            .build();

    assertThat(worker.runUntilIdle()).isEqualTo(160);

    assertThat(ran).isEqualTo(expected);
  }

  @Test
  void runUntilIdleServesQueuesByTheirWeights() {
    queue.enqueueAll(NOTE.onQueue("a"), Collections.nCopies(600, new Note("a")));
    queue.enqueueAll(NOTE.onQueue("b"), Collections.nCopies(600, new Note("b")));
    Worker worker =
        worker()
            .queue("a", 1)
            .queue("b", 1)
            .order(LaneOrder.fair().weighted(Map.of("a", 3)))
            .build();

    assertThat(worker.runUntilIdle()).isEqualTo(1_200);

    assertThat(Collections.frequency(order.subList(0, 800), "a")).isBetween(500, 600);
  }

  private Worker.Builder worker() {
    return Worker.on(queue)
        .config( // A claim returns its reserved jobs first, so a large prefetch would run many of
            // them in a row.
            WorkerConfig.builder().prefetch(10).drainTimeout(Duration.ofSeconds(5)).build())
        .handle(
            NOTE,
            (note, context) -> {
              order.add(note.from());
              return Outcome.completed();
            });
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    }
  }

  private List<Long> ids(String sql) throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(inSchema(sql))) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }

  private String inSchema(String sql) {
    return sql.replace("@", database.schema() + ".");
  }
}
