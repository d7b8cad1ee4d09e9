package dev.skipjack.testkit;

import static dev.skipjack.testkit.QueueAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.migrations.Migrations;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@QueueTest
class TestQueueIT {

  private static final JobType<String> MAIL = JobType.of("mail", String.class);

  private final QueueDatabase database;
  private final TestQueue queue;

  TestQueueIT(QueueDatabase database) {
    this.database = database;
    this.queue = TestQueue.on(database.dataSource(), database.schema());
  }

  @Test
  void assertsTravelsAndTruncatesWithCommittedChanges() throws SQLException {
    JobId job =
        Jobs.insert(database, "mail", "\"x\"", "pending", "clock_timestamp() + interval '2 hours'");
    assertThat(queue).hasEnqueued(MAIL).withPayload("x").times(1);
    assertThat(queue.hasJobs()).isTrue();

    queue.timeTravel(Duration.ofHours(2));
    assertThat(queue).job(job).isDue();

    queue.truncate();
    assertThat(queue).hasNoJobs();
    assertThat(queue.hasJobs()).isFalse();
  }

  @Test
  void dueJobsInQueuesThatAWorkerDoesNotServeAreFound() throws SQLException {
    Jobs.insert(database, "mail", "\"x\"", "pending", "clock_timestamp() - interval '1 second'");
    Jobs.insert(database, "other", "\"x\"", "pending", "clock_timestamp() - interval '1 second'");

    assertThat(queue.queuesNotServed(List.of("mail"), List.of("others"))).containsExactly("emails");
    assertThat(queue.queuesNotServed(List.of("mail"), List.of("emails"))).isEmpty();
    assertThat(queue.queuesNotServed(List.of("unknown"), List.of())).isEmpty();
  }

  @Test
  void truncateKeepsWorkers() throws SQLException {
    Jobs.execute(
        database,
        "INSERT INTO skipjack.job_workers (name, boot_id, queues, kinds) VALUES ('w',"
            + " gen_random_uuid(), '{}', '{}')");
    queue.truncate();
    assertThat(Jobs.query(database, "SELECT count(*) FROM skipjack.job_workers")).isEqualTo("1");
  }

  @Test
  void seesAndChangesJobsOfAnOpenTransaction() throws SQLException {
    try (Connection transaction = database.connection()) {
      transaction.setAutoCommit(false);
      TestQueue within = queue.within(() -> Optional.of(transaction));
      JobId job =
          Jobs.insert(
              transaction, "mail", "\"x\"", "pending", "clock_timestamp() + interval '2 hours'");
      within.timeTravel(Duration.ofHours(2));
      assertThat(within).job(job).isDue();
      assertThat(queue).hasNoJobs();
      transaction.rollback();
    }
    assertThat(queue).hasNoJobs();
  }

  @Test
  void schemaMayHaveAnyName() throws SQLException {
    Jobs.execute(database, "CREATE SCHEMA \"it's\"");
    Migrations.migrate(database.dataSource(), "it's");
    TestQueue other = TestQueue.on(database.dataSource(), "it's");
    other.timeTravel(Duration.ofHours(1));
    other.truncate();
    assertThat(other).hasNoJobs();
    Jobs.execute(database, "DROP SCHEMA \"it's\" CASCADE");
  }
}
