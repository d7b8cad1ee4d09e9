package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a connection returns to its pool without a transaction or a lock, for example a
 * session-level advisory lock.
 */
@QueueTest
class NoLockIsLeftTest {

  private Fixture fixture;
  private JobQueue queue;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    queue = fixture.queue;
  }

  @Test
  void noLockIsLeftAfterAnyOperation() throws SQLException {
    try (HikariDataSource pool = fixture.database.newDataSource(1)) {
      queue = JobQueue.builder(pool).schema(fixture.database.schema()).build();
      produce(pool);
      assertIdle("producing");
      work(pool);
      assertIdle("working");
      administer();
      assertIdle("admin commands");
      queue.maintenance().createPartitions(Duration.ofDays(20));
      queue.maintenance().removePartitions(new Retention(Duration.ofDays(1), Duration.ofDays(1)));
      assertIdle("maintenance");
    }
  }

  @Test
  void noLockIsLeftAfterRefusals() throws SQLException {
    try (HikariDataSource pool = fixture.database.newDataSource(1)) {
      JobStore elsewhere = JobQueue.builder(pool).schema("nowhere").build().store();
      assertThatThrownBy(() -> elsewhere.rescue(Duration.ZERO, 1))
          .isInstanceOf(StoreException.class);
      assertIdle("a refusal");

      queue = JobQueue.builder(pool).schema(fixture.database.schema()).build();
      fixture.enqueue(1);
      Execution zombie = fixture.claimOne(Fixture.EXPIRED);
      queue.store().rescue(Duration.ZERO, 1);
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> queue.store().completeIn(connection, zombie))
            .isInstanceOf(LeaseLostException.class);
        connection.rollback();
      }
      assertIdle("a lost lease");
    }
  }

  private void produce(HikariDataSource pool) throws SQLException {
    queue.enqueueAll(WORK, List.of(new Fixture.Work(1), new Fixture.Work(2)));
    queue.enqueueOnce(WORK, new Fixture.Work(3), job -> job.idempotencyKey("three"));
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      queue.in(connection).enqueue(WORK, new Fixture.Work(4));
      connection.commit();
      statement.execute(fixture.inSchema("SELECT @enqueue('work', '{}', unique_key => 'five')"));
      connection.commit();
    }
  }

  private void work(HikariDataSource pool) throws SQLException {
    JobStore store = queue.store();
    store.dueLanes(List.of("default"));
    List<Execution> claimed =
        store.claim(Fixture.request(5, Fixture.LEASE, new Lane("default", 0))).stream()
            .map(ClaimedJob::execution)
            .toList();
    assertThat(claimed).hasSize(5);
    store.heartbeat(claimed, Fixture.LEASE);
    store.complete(claimed.subList(0, 1));
    store.fail(List.of(new Failure(claimed.get(1), JobError.of("no luck"), Duration.ZERO, true)));
    store.requeue(
        List.of(new Requeue(claimed.get(2), ExecutionStatus.SNOOZED, Duration.ofHours(1))));
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      store.completeIn(connection, claimed.get(3));
      connection.commit();
    }
    store.rescue(Duration.ZERO, 10);
  }

  private void administer() {
    List<JobId> all =
        queue.reader().list(JobQuery.live()).jobs().stream().map(job -> job.id()).toList();
    queue.admin().redriveAll(DeadJobs.all());
    queue.admin().edit(all.get(0), JobEdit.nothing().priority(3));
    queue.admin().pruneAll(DeadJobs.all(), Duration.ZERO);
    queue.admin().pause("default");
    queue.admin().resume("default");
    queue.reader().counts();
    assertThat(queue.admin().cancel(all)).hasSize(all.size());
  }

  private void assertIdle(String after) {
    assertThat(
            fixture.value(
                "SELECT string_agg(concat_ws(' ', locktype, mode, relation::regclass), ', ') FROM"
                    + " pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname ="
                    + " current_database()) AND pid <> pg_backend_pid() AND pid IN (SELECT pid FROM"
                    + " pg_stat_activity WHERE backend_type = 'client backend')"))
        .as("locks after %s", after)
        .isNull();
    assertThat(
            fixture.value(
                "SELECT string_agg(query, '; ') FROM pg_stat_activity WHERE datname ="
                    + " current_database() AND state <> 'idle' AND pid <> pg_backend_pid() AND"
                    + " backend_type = 'client backend'"))
        .as("open transactions after %s", after)
        .isNull();
  }
}
