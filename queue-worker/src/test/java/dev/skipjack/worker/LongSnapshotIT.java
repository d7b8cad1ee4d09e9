package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Backoff;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a handler that completes its job at the end of a transaction whose snapshot is older than
 * several renewals.
 */
@QueueTest
@Timeout(60)
class LongSnapshotIT {

  record Report(int number) {}

  private static final JobType<Report> TYPE =
      JobType.of("report", Report.class).maxAttempts(2).retry(Backoff.fixed(Duration.ZERO));

  private static final Duration HEARTBEAT = Duration.ofMillis(50);
  private static final int HEARTBEATS = 6;

  private static final WorkerConfig CONFIG =
      WorkerConfig.builder()
          .lease(Duration.ofSeconds(5))
          .heartbeatInterval(HEARTBEAT)
          .pollInterval(Duration.ofMillis(50))
          .build();

  private final QueueDatabase database;
  private final JobQueue queue;

  LongSnapshotIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  void aTransactionLongerThanSeveralHeartbeatsCompletes(int isolation) throws SQLException {
    execute("CREATE TABLE IF NOT EXISTS @effects (number integer)");
    execute("TRUNCATE @effects");
    try (Worker worker =
        Worker.on(queue)
            .handle(TYPE, (report, context) -> work(report, context, isolation))
            .queue("default", 2)
            .config(CONFIG)
            .start()) {
      queue.enqueue(TYPE, new Report(1));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> value("SELECT count(*) FROM @jobs").equals("0"));
      queue.enqueue(TYPE, new Report(2));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> value("SELECT count(*) FROM @jobs").equals("0"));
      assertThat(worker.status().started()).isTrue();
    }
    assertThat(value("SELECT string_agg(status, ' ') FROM @jobs_archive"))
        .isEqualTo("completed completed");
    assertThat(value("SELECT string_agg(number::text, ' ' ORDER BY number) FROM @effects"))
        .isEqualTo("1 2");
    // The first attempt of the first job failed because of a renewal and was not counted. The
    // second job got the long lease.
    assertThat(value("SELECT string_agg(status, ' ' ORDER BY id) FROM @job_executions"))
        .isEqualTo("released succeeded succeeded");
  }

  private Outcome work(Report report, JobContext context, int isolation) throws SQLException {
    long until = System.nanoTime() + HEARTBEAT.multipliedBy(HEARTBEATS).toNanos();
    try (Connection connection = database.connection()) {
      connection.setTransactionIsolation(isolation);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        while (System.nanoTime() < until) {
          statement.execute("SELECT pg_sleep(0.01)"); // the long work
        }
        statement.execute(inSchema("INSERT INTO @effects VALUES (" + report.number() + ")"));
      }
      context.completeIn(connection);
      connection.commit();
    }
    return Outcome.completed();
  }

  private String inSchema(String sql) {
    return sql.replace("@", database.schema() + ".");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    }
  }

  private String value(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    }
  }
}
