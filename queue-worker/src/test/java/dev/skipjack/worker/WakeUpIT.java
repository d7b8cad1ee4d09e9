package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerEvent.DatabaseLost;
import dev.skipjack.worker.WorkerEvent.LoopFailed;
import dev.skipjack.worker.WorkerEvent.LoopRecovered;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests wake-ups from the enqueue to the handler. The worker polls so rarely that only a wake-up
 * can start a job in time.
 */
@QueueTest
@Timeout(60)
class WakeUpIT {

  record Note(int number) {}

  private static final JobType<Note> NOTE = JobType.of("note", Note.class);
  private static final String LISTENERS =
      " FROM pg_stat_activity WHERE query LIKE 'LISTEN skipjack_%' AND datname = current_database()";

  private final QueueDatabase database;

  /**
   * A duration longer than any pause between the polls that follow a claim. The poll after them is
   * an hour later.
   */
  private static final Duration IDLE = Duration.ofMillis(1_200);

  private final FaultyDataSource counting;
  private final JobQueue queue;
  private final EventLog events = new EventLog();

  WakeUpIT(QueueDatabase database) {
    this.database = database;
    this.counting = new FaultyDataSource(database.dataSource());
    this.queue = JobQueue.builder(counting).schema(database.schema()).build();
  }

  @Test
  void anIdleWorkerRunsAJobAtOnce() throws SQLException {
    try (Worker worker = start(true)) {
      for (int i = 1; i <= 2; i++) {
        int jobs = i;
        awaitIdle();
        queue.enqueue(NOTE, new Note(i), job -> job.priority(jobs));
        await().until(() -> events.all(Succeeded.class).size() == jobs);
      }
      awaitIdle();
      try (Connection connection = database.connection()) {
        connection.setAutoCommit(false);
        queue.in(connection).enqueue(NOTE, new Note(3));
        connection.commit();
      }
      await().until(() -> events.all(Succeeded.class).size() == 3);
      assertThat(worker.status()).isNotNull();
    }
    await().until(() -> value("SELECT count(*)" + LISTENERS).equals("0"));
  }

  @Test
  void aDisconnectedListenerListensAgainAndMissesNothing() throws Exception {
    try (Worker worker = start(true)) {
      value("SELECT count(pg_terminate_backend(pid))" + LISTENERS);
      await().until(() -> !events.all(LoopFailed.class).isEmpty());
      queue.enqueue(NOTE, new Note(1));

      await().until(() -> events.all(Succeeded.class).size() == 1);
      await().until(() -> !events.all(LoopRecovered.class).isEmpty());
      queue.enqueue(NOTE, new Note(2));
      await().until(() -> events.all(Succeeded.class).size() == 2);
      assertThat(worker.status()).isNotNull();
    }
  }

  /**
   * Wake-ups only reduce latency. Without them, the worker polls, stays ready and seldom tries to
   * reconnect.
   */
  @Test
  void aServerThatOnlyTheListenerCannotReachDoesNotLoseTheDatabase() throws Exception {
    PGSimpleDataSource refusing = new PGSimpleDataSource();
    refusing.setServerNames(new String[] {"127.0.0.1"});
    try (ServerSocket closed = new ServerSocket(0)) {
      refusing.setPortNumbers(new int[] {closed.getLocalPort()});
    }
    FaultyDataSource elsewhere = new FaultyDataSource(refusing);
    long began = System.nanoTime();
    try (Worker worker =
        Worker.on(
                JobQueue.builder(database.dataSource())
                    .schema(database.schema())
                    .listenOn(elsewhere)
                    .build())
            .handle(NOTE, (note, context) -> Outcome.completed())
            .queue("default", 2)
            .listener(events)
            .config(WorkerConfig.builder().pollInterval(Duration.ofMillis(10)).build())
            .start()) {
      await().until(() -> !events.all(LoopFailed.class).isEmpty());
      await().until(() -> worker.health().ready());
      for (int i = 1; i <= 100; i++) {
        int jobs = i;
        queue.enqueue(NOTE, new Note(i));
        await()
            .pollInterval(Duration.ofMillis(2))
            .until(() -> events.all(Succeeded.class).size() == jobs);
        assertThat(worker.health().ready()).isTrue();
      }
    }
    assertThat(events.all(DatabaseLost.class)).isEmpty();
    // Pauses double up to five seconds, so few failures follow the eight of the first six seconds.
    assertThat(elsewhere.count(FaultyDataSource.Step.CONNECTION))
        .isLessThan(12 + Duration.ofNanos(System.nanoTime() - began).toSeconds());
  }

  @Test
  void aWorkerWithoutWakeUpsHoldsNoConnection() throws Exception {
    try (Worker worker = start(false)) {
      assertThat(value("SELECT count(*)" + LISTENERS)).isEqualTo("0");
      assertThat(worker.status()).isNotNull();
    }
  }

  /**
   * Waits until the worker sends no more statements, so that only a wake-up can find the next job.
   */
  private void awaitIdle() {
    long[] seen = {-1, 0};
    await()
        .until(
            () -> {
              long borrowed = counting.count(FaultyDataSource.Step.CONNECTION);
              if (borrowed != seen[0]) {
                seen[0] = borrowed;
                seen[1] = System.nanoTime();
              }
              return System.nanoTime() - seen[1] > IDLE.toNanos();
            });
  }

  private Worker start(boolean wakeUps) {
    Worker worker =
        Worker.on(queue)
            .handle(NOTE, (note, context) -> Outcome.completed())
            .queue("default", 2)
            .listener(events)
            .config(
                WorkerConfig.builder().pollInterval(Duration.ofHours(1)).wakeUps(wakeUps).build())
            .start();
    if (wakeUps) {
      await().until(() -> value("SELECT count(*)" + LISTENERS).equals("1"));
    }
    return worker;
  }

  private String value(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? row.getString(1) : "";
    }
  }
}
