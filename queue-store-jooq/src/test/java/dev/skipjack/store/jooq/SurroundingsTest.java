package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests statements under a role with few rights, and with other objects in the database. */
@QueueTest
class SurroundingsTest {

  private Fixture fixture;
  private String role;

  @BeforeEach
  void createRole(QueueDatabase database) {
    fixture = new Fixture(database);
    // Roles belong to the server, and other test JVMs may use the same one.
    role = "role_of_" + fixture.value("SELECT current_database()");
    fixture.execute("CREATE ROLE " + role);
    fixture.execute("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + role);
  }

  @AfterEach
  void dropRole() {
    fixture.execute("DROP OWNED BY " + role);
    fixture.execute("DROP ROLE " + role);
  }

  @Test
  void aWorkersRoleNeedsNoRightToDefineAnything() throws SQLException {
    String schema = fixture.database.schema();
    grantTables();
    fixture.execute("GRANT EXECUTE ON FUNCTION @merge_patch(jsonb, jsonb) TO " + role);
    try (HikariDataSource pool = as("SET ROLE " + role)) {
      JobQueue queue = queueOn(pool);
      EveryStatement.ofAJobsLife(queue, pool);
      EveryStatement.ofAPerson(queue);
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        assertThatThrownBy(() -> statement.execute("CREATE TABLE " + schema + ".mine (id int)"))
            .isInstanceOf(SQLException.class)
            .extracting(refused -> ((SQLException) refused).getSQLState())
            .isEqualTo("42501");
      }
    }
  }

  /**
   * Simulates the time two weeks after the migration, when the last partition that it created has
   * ended.
   */
  @Test
  void aWorkersRoleCreatesMissingPartitionsWithTheRightToExecuteOneFunction() {
    grantTables();
    fixture.execute("GRANT EXECUTE ON FUNCTION @create_partition(text, timestamptz) TO " + role);
    dropPartitions();
    try (HikariDataSource pool = as("SET ROLE " + role)) {
      JobQueue queue = queueOn(pool);
      queue.enqueue(Fixture.WORK, new Fixture.Work(1));
      List<Execution> claimed =
          queue.store().claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0))).stream()
              .map(ClaimedJob::execution)
              .toList();
      assertThat(queue.store().complete(claimed)).containsExactly(Verdict.DONE);
      assertThat(queue.maintenance().createPartitions(Duration.ofDays(14)).missingFrom()).isEmpty();
    }
  }

  @Test
  void aRoleThatCannotCreatePartitionsGetsThatErrorAndNotTheMissingPartition() {
    grantTables();
    dropPartitions();
    try (HikariDataSource pool = as("SET ROLE " + role)) {
      JobQueue queue = queueOn(pool);
      queue.enqueue(Fixture.WORK, new Fixture.Work(1));

      assertThatThrownBy(
              () -> queue.store().claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0))))
          .isInstanceOfSatisfying(
              StoreException.class, refused -> assertThat(refused.sqlState()).contains("42501"))
          .hasMessageContaining("A partition is missing and could not be created")
          .hasMessageContaining("permission denied for function create_partition")
          .hasMessageContaining("Grant EXECUTE on function create_partition");
      assertThat(queue.maintenance().createPartitions(Duration.ofDays(14)).missingFrom())
          .hasValueSatisfying(at -> assertThat(at).isBefore(Instant.now()));
    } finally {
      fixture.execute("SELECT @create_partitions(interval '14 days')");
    }
  }

  private void grantTables() {
    String schema = fixture.database.schema();
    fixture.execute(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + role);
    fixture.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role);
  }

  private void dropPartitions() {
    fixture.execute(
        """
        DO $$
        DECLARE child regclass;
        BEGIN
          FOR child IN SELECT inhrelid::regclass FROM pg_inherits
                        WHERE inhparent IN ('@job_executions'::regclass, '@jobs_archive'::regclass) LOOP
            EXECUTE 'DROP TABLE ' || child;
          END LOOP;
        END $$
        """);
  }

  @Test
  void aProducersRoleEnqueuesByTheFunction() throws SQLException {
    allowToEnqueueOnly();
    try (HikariDataSource pool = as("SET ROLE " + role);
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema("SELECT @enqueue('work', '{\"number\": 1}', unique_key => 'k')"));
    }
    assertThat(fixture.claim(1)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO @jobs (kind, payload, status) VALUES ('work', '{}', 'running')",
        "INSERT INTO @jobs (kind, payload, attempts) VALUES ('work', '{}', 7)",
        "INSERT INTO @jobs (kind, payload) VALUES ('work', '{}')",
        "UPDATE @jobs SET priority = 100",
        "DELETE FROM @jobs",
        "SELECT payload FROM @jobs",
        "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind) VALUES (1, 1,"
            + " now(), 1, 'q', 'k')",
        "DELETE FROM @jobs_archive",
        "UPDATE @job_queues SET paused_at = now()",
        "INSERT INTO @job_keys VALUES ('k', 1, now())",
        "SELECT @create_partitions(interval '1 day')",
        "SELECT nextval('@jobs_id_seq')"
      })
  void aProducersRoleCanForgeNothing(String forbidden) throws SQLException {
    allowToEnqueueOnly();
    try (HikariDataSource pool = as("SET ROLE " + role);
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute(inSchema(forbidden)))
          .isInstanceOf(SQLException.class)
          .extracting(refused -> ((SQLException) refused).getSQLState())
          .isEqualTo("42501");
    }
  }

  /** The next release has added columns while this release runs. */
  @Test
  void columnsOfALaterReleaseAreNotChanged() throws SQLException {
    for (String table : new String[] {"jobs", "job_executions", "jobs_archive", "job_queues"}) {
      fixture.execute("ALTER TABLE @" + table + " ADD COLUMN of_later text DEFAULT 'later'");
    }
    try {
      EveryStatement.ofAJobsLife(fixture.queue, fixture.database.dataSource());
      EveryStatement.ofAPerson(fixture.queue);
      assertThat(
              fixture.value("SELECT count(*) FROM @jobs WHERE of_later IS DISTINCT FROM 'later'"))
          .isEqualTo("0");
    } finally {
      for (String table : new String[] {"jobs", "job_executions", "jobs_archive", "job_queues"}) {
        fixture.execute("ALTER TABLE @" + table + " DROP COLUMN of_later");
      }
    }
  }

  /** A batch uses one transaction id, and not one per job. */
  @Test
  void jobUsesAtMostATenthOfATransactionId() {
    // Other sessions, such as autovacuum, also use ids, so the cheapest of a few runs counts.
    double cheapest = Double.MAX_VALUE;
    for (int run = 0; run < 5 && cheapest > 0.1; run++) {
      long before = nextTransactionId();
      for (int batch = 0; batch < 20; batch++) {
        fixture.enqueue(50);
        var claimed = fixture.claim(50).stream().map(job -> job.execution()).toList();
        fixture.store.heartbeat(claimed, Fixture.LEASE);
        fixture.store.complete(claimed);
      }
      cheapest = Math.min(cheapest, (nextTransactionId() - before) / 1_000.0);
    }
    assertThat(cheapest).isLessThanOrEqualTo(0.1);
  }

  private long nextTransactionId() {
    return Long.parseLong(fixture.value("SELECT pg_snapshot_xmax(pg_current_snapshot())"));
  }

  private void allowToEnqueueOnly() {
    fixture.execute(
        "GRANT EXECUTE ON FUNCTION @enqueue(text, json, text, integer, interval, timestamptz,"
            + " integer, text[], text, text, interval, integer, text, text, boolean, jsonb, text)"
            + " TO "
            + role);
  }

  private HikariDataSource as(String initSql) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(fixture.database.jdbcUrl());
    pool.setMaximumPoolSize(2);
    pool.setConnectionInitSql(initSql);
    return pool;
  }

  private JobQueue queueOn(HikariDataSource pool) {
    return JobQueue.builder(pool).schema(fixture.database.schema()).build();
  }

  private String inSchema(String sql) {
    return sql.replace("@", fixture.database.schema() + ".");
  }
}
