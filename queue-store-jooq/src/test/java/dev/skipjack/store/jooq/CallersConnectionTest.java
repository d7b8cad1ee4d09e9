package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.faults.RowTimeout;
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
 * Tests connections like those of applications: from their pools, and with their own transactions.
 */
@QueueTest
class CallersConnectionTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void aConnectionWithoutATransactionIsRefusedBeforeAnySql() throws SQLException {
    fixture.enqueue(1);
    Execution running = fixture.claimOne(Fixture.LEASE);
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(true);
      assertThatThrownBy(
              () -> fixture.queue.in(connection).enqueue(Fixture.WORK, new Fixture.Work(2)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("setAutoCommit(false)");
      assertThatThrownBy(() -> fixture.store.completeIn(connection, running))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
    assertThat(fixture.owns(running)).isTrue();
  }

  /** Such a pool rolls back uncommitted transactions, so the queue must commit. */
  @Test
  void aPoolWithoutAutoCommitLosesNothing() throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(fixture.database.jdbcUrl());
      pool.setMaximumPoolSize(2);
      pool.setAutoCommit(false);
      pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
      JobQueue queue = JobQueue.builder(pool).schema(fixture.database.schema()).build();

      EveryStatement.ofAJobsLife(queue, pool);
      EveryStatement.ofAPerson(queue);
      queue.admin().pause("kept");
      queue.admin().configure("set", QueueSettings.defaults().defaultPriority(7));
    }
    assertThat(fixture.value("SELECT count(*) FROM @job_queues WHERE paused_at IS NOT NULL"))
        .isEqualTo("1");
    assertThat(fixture.value("SELECT default_priority FROM @job_queues WHERE queue = 'set'"))
        .isEqualTo("7");
    assertThat(fixture.value("SELECT count(*) FROM @jobs_archive WHERE status = 'completed'"))
        .isEqualTo("21");
  }

  /**
   * A redrive that waited for the key with its other rows locked would deadlock with the caller.
   */
  @Test
  void aRedriveDoesNotWaitForAKeyThatAnOpenTransactionHasTaken() throws SQLException {
    fixture.enqueue(2);
    fixture.store.fail(
        fixture.claim(2).stream()
            .map(job -> new Failure(job.execution(), JobError.of("no luck"), Duration.ZERO, true))
            .toList());
    fixture.execute(
        "UPDATE @jobs SET freed_unique_key = 'k' || (id - (SELECT min(id) FROM @jobs))");
    String schema = fixture.database.schema();
    try (Connection caller = fixture.database.connection();
        Statement statement = caller.createStatement()) {
      caller.setAutoCommit(false);
      String insert =
          "INSERT INTO "
              + schema
              + ".jobs (kind, payload, unique_key, unique_label, unique_until)"
              + " VALUES ('work', '{}', '%s', 'k', 'dead')";
      statement.execute(insert.formatted("k1"));

      assertThat(fixture.queue.admin().redriveAll(DeadJobs.all()).refused())
          .hasSize(1)
          .containsValue(new RedriveResult.Busy());
      caller.rollback();
    }
    assertThat(fixture.queue.admin().redriveAll(DeadJobs.all()).redriven()).isEqualTo(1);
  }

  /**
   * The caller's transaction fails, but the next one succeeds, although the pool has only one
   * connection.
   */
  @Test
  void missingPartitionIsCreatedBeforeTheCallersNextTry() throws SQLException {
    fixture.enqueue(1);
    Execution running = fixture.claimOne(Fixture.LEASE);
    fixture.execute(
        "DO $$ DECLARE p text; BEGIN FOR p IN SELECT inhrelid::regclass FROM pg_inherits"
            + " WHERE inhparent = '@jobs_archive'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$");
    try (HikariDataSource one = fixture.database.newDataSource(1)) {
      JobQueue queue = JobQueue.builder(one).schema(fixture.database.schema()).build();
      try (Connection caller = one.getConnection()) {
        caller.setAutoCommit(false);
        assertThatThrownBy(() -> queue.store().completeIn(caller, running))
            .isInstanceOf(StoreException.class)
            .extracting(refused -> ((StoreException) refused).sqlState().orElse(""))
            .isEqualTo("23514");
        caller.rollback();
      }
      queue.store().heartbeat(List.of(running), Fixture.LEASE);
      try (Connection caller = one.getConnection()) {
        caller.setAutoCommit(false);
        queue.store().completeIn(caller, running);
        caller.commit();
      }
    }
    assertThat(fixture.value("SELECT status FROM @jobs_archive")).isEqualTo("completed");
  }

  @Test
  void outcomesAreWrittenAlthoughCountersAreAtTheirMaximum() {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(Fixture.LEASE);
    fixture.execute("UPDATE @jobs SET attempts = 2147483647, uncounted_attempts = 2147483647");

    assertThat(
            fixture.store.requeue(
                List.of(new Requeue(execution, ExecutionStatus.SNOOZED, Duration.ZERO))))
        .extracting(Ended::verdict)
        .containsExactly(Verdict.DONE);
    assertThat(fixture.value("SELECT attempts || ' ' || uncounted_attempts FROM @jobs"))
        .isEqualTo("2147483647 2147483647");
  }

  @Test
  void invalidArgumentsAreRefusedBeforeAnySql() {
    fixture.enqueue(1);
    Execution running = fixture.claimOne(Fixture.LEASE);
    assertThatThrownBy(() -> fixture.store.heartbeat(List.of(running), Duration.ofDays(-3)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.store.heartbeat(List.of(running), Duration.ofDays(400_000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.store.rescue(Duration.ZERO, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.store.rescue(Duration.ofSeconds(-1), 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.claim(1, Duration.ofDays(400 * 365)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(fixture.owns(running)).isTrue();
  }

  /** Under a statement timeout, a claim of many jobs becomes a claim of fewer. */
  @Test
  void aClaimThatIsTooLargeForATimeoutTakesFewer() throws SQLException {
    fixture.enqueue(600);
    try (RowTimeout timeout = fixture.timeoutOver(100, "jobs")) {
      assertThat(fixture.store.claim(Fixture.request(600, Fixture.LEASE, new Lane("default", 0))))
          .hasSizeBetween(1, 100);
      assertThat(timeout.aborted()).isPositive();
    }
  }
}
