package dev.skipjack.store.jooq.internal.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.faults.RowTimeout;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class PartitionRemovalTest {

  private static final Retention RETENTION = new Retention(Duration.ofDays(7), Duration.ofDays(30));

  private Fixture fixture;
  private Maintenance maintenance;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    maintenance = fixture.queue.maintenance();
  }

  /** Removes all partitions that are older than today before the next test. */
  @AfterEach
  void removeAll() {
    fixture.execute("DELETE FROM @job_queues");
    fixture.execute("DELETE FROM @job_executions");
    assertThat(
            maintenance.removePartitions(new Retention(Duration.ZERO, Duration.ZERO)).postponed())
        .isEmpty();
  }

  @Test
  void onlyExpiredPartitionsAreRemoved() {
    partition("jobs_archive", "2024-03-04");
    partition("jobs_archive", "2024-03-05");
    partition("job_executions", "2024-03-04");
    String today = fixture.value("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')");

    RemovedPartitions result = maintenance.removePartitions(RETENTION);

    assertThat(result.removed())
        .containsExactly(
            "jobs_archive_20240304", "jobs_archive_20240305", "job_executions_20240304");
    assertThat(result.postponed()).isEmpty();
    result.removed().forEach(name -> assertThat(exists(name)).as(name).isFalse());
    assertThat(exists("jobs_archive_" + today)).isTrue();
    assertThat(maintenance.removePartitions(RETENTION).removed()).isEmpty();
  }

  @Test
  void partitionsAreRemovedInASchemaOfAnyName(QueueDatabase database) {
    String schema = "it's \"odd\"";
    Migrations.migrate(database.dataSource(), schema);
    fixture.execute(
        "SELECT \"it's \"\"odd\"\"\".create_partition('jobs_archive', '2024-03-04 00:00+00')");

    assertThat(
            JobQueue.builder(database.dataSource())
                .schema(schema)
                .build()
                .maintenance()
                .removePartitions(RETENTION)
                .removed())
        .containsExactly("jobs_archive_20240304");
  }

  @Test
  void aPartitionIsKeptForTheQueueThatKeepsItsJobsLongest() {
    partition("jobs_archive", "2024-03-04");
    fixture.execute(
        "INSERT INTO @job_queues (queue, archive_retention) VALUES ('ledger', interval '900"
            + " months'), ('mail', interval '1 day')");
    archive("2024-03-04 12:00+00", "ledger", 3);
    archive("2024-03-04 12:00+00", "mail", 4);
    archive("2024-03-04 12:00+00", "default", 5);

    RemovedPartitions result = maintenance.removePartitions(RETENTION);

    assertThat(result.removed()).isEmpty();
    assertThat(result.rows()).isEqualTo(9);
    assertThat(archived()).isEqualTo("ledger 3");
  }

  @Test
  void theLongestRetentionIsNoError() {
    partition("jobs_archive", "2024-03-04");
    fixture.execute(
        "INSERT INTO @job_queues (queue, archive_retention) VALUES ('ledger', interval '36500"
            + " days')");

    assertThat(maintenance.removePartitions(RETENTION).removed()).isEmpty();
    assertThat(exists("jobs_archive_20240304")).isTrue();
  }

  @Test
  void onlyExpiredRowsOfAKeptPartitionAreDeleted() {
    fixture.execute(
        "SELECT @create_partition('jobs_archive', now() - n * interval '1 day') FROM"
            + " generate_series(1, 3) n");
    fixture.execute(
        "INSERT INTO @job_queues (queue, archive_retention) VALUES ('mail', interval '2 days')");
    archive("now() - interval '2 days 1 minute'", "mail", 6_000);
    archive("now() - interval '1 day 23 hours 59 minutes'", "mail", 2);
    archive("now() - interval '3 days'", "default", 1);

    assertThat(maintenance.removePartitions(RETENTION).rows()).isEqualTo(6_000);
    assertThat(archived()).isEqualTo("default 1, mail 2");

    archive("now() - interval '2 days 30 seconds'", "mail", 2); // a transaction that ended late
    assertThat(maintenance.removePartitions(RETENTION).rows()).isEqualTo(2);

    fixture.execute("UPDATE @job_queues SET archive_retention = interval '0'");
    assertThat(maintenance.removePartitions(RETENTION).rows()).isEqualTo(2);
    fixture.execute(
        "INSERT INTO @job_queues (queue, archive_retention) VALUES ('default', interval '1 day')");
    assertThat(maintenance.removePartitions(RETENTION).rows()).isEqualTo(1);
  }

  @Test
  void aRunningAttemptKeepsItsPartition() {
    partition("job_executions", "2024-03-04");
    partition("job_executions", "2024-03-11");
    fixture.execute(
        """
        INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind, status, finished_at)
        SELECT -n, n, '2024-03-05 12:00+00', 1, 'default', 'work', CASE n WHEN 7 THEN 'running' ELSE 'failed' END,
               CASE n WHEN 7 THEN NULL ELSE now() END
          FROM generate_series(1, 100) n
        """);
    fixture.execute(
        """
        INSERT INTO @jobs (kind, payload, status, current_execution_id, started_at, lease_expires_at, attempts)
        VALUES ('work', '{}', 'running', -7, '2024-03-05 12:00+00', now(), 1)
        """);

    RemovedPartitions result = maintenance.removePartitions(RETENTION);

    assertThat(result.removed()).containsExactly("job_executions_20240311");
    assertThat(result.postponed())
        .containsExactly(new Postponed("job_executions_20240304", Reason.RUNNING));

    fixture.execute(
        "UPDATE @job_executions SET status = 'lost', finished_at = now() WHERE status = 'running'");
    assertThat(maintenance.removePartitions(RETENTION).removed())
        .containsExactly("job_executions_20240304");
  }

  /** A job that was deleted manually leaves such a row, which is never closed. */
  @Test
  void openAuditRowWithoutAJobDoesNotKeepItsPartition() {
    partition("job_executions", "2024-03-04");
    fixture.execute(
        "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind) VALUES (-1, 1,"
            + " '2024-03-05 12:00+00', 1, 'default', 'work')");

    assertThat(maintenance.removePartitions(RETENTION).removed())
        .containsExactly("job_executions_20240304");
  }

  @Test
  void objectThatDependsOnAPartitionDoesNotStopTheRemovalOfOthers() {
    partition("jobs_archive", "2024-03-04");
    partition("jobs_archive", "2024-03-05");
    partition("jobs_archive", "2024-03-06");
    partition("job_executions", "2024-03-04");
    fixture.execute(
        "INSERT INTO @job_queues (queue, archive_retention) VALUES ('mail', interval '1 day')");
    fixture.execute("SELECT @create_partition('jobs_archive', now() - interval '3 days')");
    archive("now() - interval '3 days'", "mail", 2);
    fixture.execute("CREATE VIEW @of_an_analyst AS SELECT id FROM @jobs_archive_20240304");

    RemovedPartitions result = maintenance.removePartitions(RETENTION);

    assertThat(result.removed())
        .containsExactly(
            "jobs_archive_20240305", "jobs_archive_20240306", "job_executions_20240304");
    assertThat(result.rows()).isEqualTo(2);
    assertThat(result.postponed())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.partition()).isEqualTo("jobs_archive_20240304");
              assertThat(one.reason()).isEqualTo(Reason.DEPENDED_ON);
              assertThat(one.detail()).contains("other objects depend on it");
            });

    fixture.execute("DROP VIEW @of_an_analyst");
    assertThat(maintenance.removePartitions(RETENTION).removed())
        .containsExactly("jobs_archive_20240304");
  }

  /** A trigger or a rule may reject the owner's statements. */
  @Test
  void archiveThatCannotBePrunedDoesNotStopTheRemovalOfTheAudit() {
    fixture.execute("SELECT @create_partition('jobs_archive', now() - interval '3 days')");
    fixture.execute(
        "INSERT INTO @job_queues (queue, archive_retention) VALUES ('mail', interval '1 day')");
    archive("now() - interval '3 days'", "mail", 1);
    partition("job_executions", "2024-03-04");
    fixture.execute(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$;
        CREATE TRIGGER refuse BEFORE DELETE ON @jobs_archive FOR EACH ROW EXECUTE FUNCTION refuse()
        """);
    try {
      RemovedPartitions result = maintenance.removePartitions(RETENTION);

      assertThat(result.removed()).containsExactly("job_executions_20240304");
      assertThat(result.postponed())
          .singleElement()
          .satisfies(
              one -> {
                assertThat(one.reason()).isEqualTo(Reason.FAILED);
                assertThat(one.detail()).contains("kept");
              });
    } finally {
      fixture.execute("DROP TRIGGER refuse ON @jobs_archive; DROP FUNCTION refuse()");
    }
  }

  @Nested
  class Interrupted {

    /** The detach waits for the lock, times out, and leaves the partition unchanged. */
    @Test
    void aPartitionThatAnOperatorDetachesAfterwardsIsNotDropped() throws SQLException {
      partition("jobs_archive", "2024-03-04");
      archive("2024-03-04 12:00+00", "default", 1);
      try (Connection holder = fixture.database.connection();
          Statement statement = holder.createStatement()) {
        holder.setAutoCommit(false);
        statement.execute(
            "LOCK TABLE ONLY %s.jobs_archive IN SHARE UPDATE EXCLUSIVE MODE"
                .formatted(fixture.database.schema()));
        assertThat(maintenance.removePartitions(RETENTION).postponed())
            .containsExactly(new Postponed("jobs_archive_20240304", Reason.BUSY));
        holder.rollback();
      }
      fixture.execute("ALTER TABLE @jobs_archive DETACH PARTITION @jobs_archive_20240304");

      assertThat(maintenance.removePartitions(RETENTION).removed()).isEmpty();

      assertThat(fixture.value("SELECT count(*) FROM @jobs_archive_20240304")).isEqualTo("1");
      fixture.execute("DROP TABLE @jobs_archive_20240304");
    }

    /** The operator detaches the partition after the call has listed it. */
    @ParameterizedTest
    @ValueSource(strings = {"comment on table", "detach partition"})
    void aPartitionThatAnOperatorDetachesMeanwhileIsNotDropped(String step) {
      partition("jobs_archive", "2024-03-04");
      partition("jobs_archive", "2024-03-05");
      archive("2024-03-05 12:00+00", "default", 1);
      Maintenance interrupted =
          before(
              sql -> sql.contains(step) && sql.contains("jobs_archive_20240305"),
              () ->
                  fixture.execute(
                      "ALTER TABLE @jobs_archive DETACH PARTITION @jobs_archive_20240305"));

      RemovedPartitions result = interrupted.removePartitions(RETENTION);

      assertThat(result.removed()).containsExactly("jobs_archive_20240304");
      assertThat(result.postponed())
          .containsExactly(new Postponed("jobs_archive_20240305", Reason.BUSY));
      assertThat(maintenance.removePartitions(RETENTION).removed()).isEmpty();
      assertThat(fixture.value("SELECT count(*) FROM @jobs_archive_20240305")).isEqualTo("1");
      fixture.execute("DROP TABLE @jobs_archive_20240305");
    }

    /** The operator's concurrent detach is then waiting for a reader. */
    @ParameterizedTest
    @ValueSource(strings = {"comment on table", "detach partition"})
    void aPartitionThatAnOperatorBeginsToDetachMeanwhileIsNotDropped(String step)
        throws SQLException {
      partition("jobs_archive", "2024-03-05");
      try (Connection reader = fixture.database.connection()) {
        Maintenance interrupted =
            before(
                sql -> sql.contains(step) && sql.contains("jobs_archive_20240305"),
                () -> {
                  read(reader);
                  assertThatThrownBy(
                          () ->
                              ddl()
                                  .detach(
                                      PartitionedTable.ARCHIVE
                                          .named("jobs_archive_20240305")
                                          .orElseThrow()))
                      .isInstanceOf(StoreException.class);
                });

        assertThat(interrupted.removePartitions(RETENTION).postponed())
            .containsExactly(new Postponed("jobs_archive_20240305", Reason.BUSY));
        assertThat(pending()).isEqualTo("jobs_archive_20240305");
        reader.rollback();
      }

      assertThat(maintenance.removePartitions(RETENTION).removed()).isEmpty();
      assertThat(pending()).isEqualTo("(no row)");
      assertThat(exists("jobs_archive_20240305")).isTrue();
      fixture.execute("DROP TABLE @jobs_archive_20240305");
    }

    /** Otherwise, if the process died then, the next call would drop the marked table. */
    @Test
    void aTableThatIsDetachedAlreadyGetsNoMark() {
      partition("jobs_archive", "2024-03-05");
      fixture.execute("ALTER TABLE @jobs_archive DETACH PARTITION @jobs_archive_20240305");

      assertThatThrownBy(
              () ->
                  ddl().mark(PartitionedTable.ARCHIVE.named("jobs_archive_20240305").orElseThrow()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("jobs_archive_20240305 was detached by another session");

      assertThat(
              fixture.value(
                  "SELECT obj_description('@jobs_archive_20240305'::regclass, 'pg_class') IS NULL"))
          .isEqualTo("t");
      fixture.execute("DROP TABLE @jobs_archive_20240305");
    }

    /** Maintenance removes the mark if another session has detached the partition first. */
    @Test
    void aDetachedTableIsDroppedLaterAlthoughAnotherWorkerRemovedItsMark() throws SQLException {
      partition("jobs_archive", "2024-03-04");
      try (Connection reader = fixture.database.connection()) {
        Maintenance interrupted =
            before(
                sql -> sql.contains("drop table"),
                () -> {
                  ddl()
                      .unmark(
                          PartitionedTable.ARCHIVE.named("jobs_archive_20240304").orElseThrow());
                  reader.setAutoCommit(false);
                  select(reader, "jobs_archive_20240304");
                });

        assertThat(interrupted.removePartitions(RETENTION).postponed())
            .containsExactly(new Postponed("jobs_archive_20240304", Reason.BUSY));
        reader.rollback();
      }

      assertThat(maintenance.removePartitions(RETENTION).removed())
          .containsExactly("jobs_archive_20240304");
    }

    /** Simulates a kill between the mark and the detach, after which the retention was extended. */
    @Test
    void markOfAPartitionThatIsNoLongerExpiredIsRemoved() {
      partition("jobs_archive", "2024-03-04");
      ddl().mark(PartitionedTable.ARCHIVE.named("jobs_archive_20240304").orElseThrow());
      Retention longer = new Retention(Duration.ofDays(36_500), Duration.ofDays(36_500));

      assertThat(maintenance.removePartitions(longer).postponed()).isEmpty();

      assertThat(
              fixture.value(
                  "SELECT obj_description('@jobs_archive_20240304'::regclass, 'pg_class') IS NULL"))
          .isEqualTo("t");
    }

    @Test
    void detachThatAReaderBlocksIsFinishedAfterTheReaderEnds() throws SQLException {
      partition("job_executions", "2024-03-04");
      partition("job_executions", "2024-03-11");
      try (Connection reader = fixture.database.connection()) {
        read(reader);

        assertThat(maintenance.removePartitions(RETENTION).postponed())
            .containsExactly(
                new Postponed("job_executions_20240304", Reason.BUSY),
                new Postponed("job_executions_20240311", Reason.BUSY));
        assertThat(pending()).isEqualTo("job_executions_20240304");
        assertThat(maintenance.removePartitions(RETENTION).postponed())
            .as("finishing waits for the reader too, but for a limited time")
            .hasSize(2);

        reader.rollback();
      }

      assertThat(maintenance.removePartitions(RETENTION).removed())
          .containsExactly("job_executions_20240304", "job_executions_20240311");
    }

    @Test
    void detachWhoseSessionWasKilledIsFinishedByTheNextRun() throws Exception {
      partition("job_executions", "2024-03-04");
      try (Connection reader = fixture.database.connection()) {
        read(reader);
        CompletableFuture<RemovedPartitions> killed =
            CompletableFuture.supplyAsync(() -> maintenance.removePartitions(RETENTION));
        await()
            .until(
                () ->
                    fixture
                        .value(
                            """
                            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%detach partition%concurrently%'
                            """)
                        .equals("1"));

        assertThatThrownBy(killed::get)
            .isInstanceOf(ExecutionException.class)
            .cause()
            .isInstanceOfSatisfying(
                StoreException.class, failure -> assertThat(failure.sqlState()).contains("57P01"));
        assertThat(pending()).isEqualTo("job_executions_20240304");
        reader.rollback();
      }

      assertThat(maintenance.removePartitions(RETENTION).removed())
          .containsExactly("job_executions_20240304");
    }

    @Test
    void aTableDetachedButNotDroppedIsDroppedByTheNextRun() throws SQLException {
      partition("jobs_archive", "2024-03-04");
      PartitionDdl ddl = ddl();
      Partition partition = PartitionedTable.ARCHIVE.named("jobs_archive_20240304").orElseThrow();
      ddl.mark(partition);
      ddl.detach(partition);

      try (Connection reader = fixture.database.connection()) {
        reader.setAutoCommit(false);
        select(reader, "jobs_archive_20240304");
        assertThat(maintenance.removePartitions(RETENTION).postponed())
            .containsExactly(new Postponed("jobs_archive_20240304", Reason.BUSY));
        reader.rollback();
      }
      assertThat(maintenance.removePartitions(RETENTION).removed())
          .containsExactly("jobs_archive_20240304");
    }

    /**
     * The detach must be finished, because it blocks all others. But a table that an operator
     * detaches must be kept.
     */
    @Test
    void detachThatAnOperatorBeganIsFinishedAndItsTableKept() throws SQLException {
      partition("jobs_archive", "2024-03-04");
      partition("jobs_archive", "2024-03-05");
      try (Connection reader = fixture.database.connection()) {
        read(reader);
        assertThatThrownBy(
                () ->
                    ddl()
                        .detach(
                            PartitionedTable.ARCHIVE.named("jobs_archive_20240305").orElseThrow()))
            .isInstanceOf(StoreException.class);
        reader.rollback();
      }

      assertThat(maintenance.removePartitions(RETENTION).removed())
          .containsExactly("jobs_archive_20240304");
      assertThat(pending()).isEqualTo("(no row)");
      assertThat(exists("jobs_archive_20240305")).isTrue();
      fixture.execute("DROP TABLE @jobs_archive_20240305");
    }

    @Test
    void twoConcurrentWorkersFinishTheRemovalTogether() throws Exception {
      for (int day = 1; day <= 8; day++) {
        partition("jobs_archive", "2024-03-0" + day);
      }
      Maintenance rival = new Fixture(fixture.database).queue.maintenance();
      CompletableFuture<RemovedPartitions> other =
          CompletableFuture.supplyAsync(() -> rival.removePartitions(RETENTION));
      maintenance.removePartitions(RETENTION);
      other.get();
      maintenance.removePartitions(RETENTION);

      assertThat(
              fixture.value(
                  "SELECT count(*) FROM pg_class WHERE relname LIKE 'jobs_archive_2024%'"))
          .isEqualTo("0");
    }
  }

  @Nested
  class OfOthers {

    @Test
    void tablesThatOnlyLookLikePartitionsAreNotTouched() {
      // An operator may create a table with the same columns and name, or detach a partition to
      // keep it.
      partition("jobs_archive", "2024-03-04");
      archive("2024-03-04 12:00+00", "default", 1);
      fixture.execute("ALTER TABLE @jobs_archive DETACH PARTITION @jobs_archive_20240304");
      fixture.execute("CREATE TABLE @jobs_archive_20240305 (LIKE @jobs_archive INCLUDING ALL)");
      fixture.execute("CREATE TABLE @jobs_archive_20240306 (mine text)");
      fixture.execute(
          "COMMENT ON TABLE @jobs_archive_20240306 IS '" + FindPartitionsStatement.MARK + "'");
      fixture.execute("CREATE TABLE public.jobs_archive_20240307 (LIKE @jobs_archive)");
      fixture.execute(
          "COMMENT ON TABLE public.jobs_archive_20240307 IS '"
              + FindPartitionsStatement.MARK
              + "'");
      fixture.execute("CREATE TABLE @jobs_archive_20240308_backup (LIKE @jobs_archive)");
      fixture.execute("CREATE VIEW @jobs_archive_20240309 AS SELECT * FROM @jobs_archive");

      RemovedPartitions result = maintenance.removePartitions(RETENTION);

      assertThat(result.removed()).isEmpty();
      assertThat(result.postponed()).isEmpty();
      assertThat(fixture.value("SELECT count(*) FROM @jobs_archive_20240304")).isEqualTo("1");
      assertThat(
              fixture.value(
                  "SELECT count(*) FROM pg_class WHERE relname ~"
                      + " '^jobs_archive_2024030[4-9](_backup)?$'"))
          .isEqualTo("6");
      fixture.execute(
          "DROP VIEW @jobs_archive_20240309; DROP TABLE @jobs_archive_20240304,"
              + " @jobs_archive_20240305, @jobs_archive_20240306, public.jobs_archive_20240307,"
              + " @jobs_archive_20240308_backup");
    }

    /** The partition's name is from 2024, but its rows are from 2050. */
    @Test
    void partitionWhoseBoundsDifferFromItsNameIsNotTouched() {
      fixture.execute(
          "CREATE TABLE @jobs_archive_20240304 PARTITION OF @jobs_archive FOR VALUES FROM"
              + " ('2050-01-01 00:00+00') TO ('2050-01-02 00:00+00')");
      fixture.execute(
          "CREATE TABLE @jobs_archive_20240305 PARTITION OF @jobs_archive FOR VALUES FROM"
              + " (MINVALUE) TO ('2020-01-02 00:00+00')");

      assertThat(maintenance.removePartitions(RETENTION).removed()).isEmpty();

      fixture.execute("DROP TABLE @jobs_archive_20240304, @jobs_archive_20240305");
    }

    @Test
    void aRoleWithoutThePrivilegeGetsAClearError(QueueDatabase database) throws SQLException {
      partition("jobs_archive", "2024-03-04");
      String role = "part_" + database.schema();
      fixture.execute("DROP ROLE IF EXISTS " + role);
      fixture.execute("CREATE ROLE " + role);
      fixture.execute("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + role);
      fixture.execute(
          "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "
              + database.schema()
              + " TO "
              + role);
      try (HikariDataSource pool = new HikariDataSource()) {
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setMaximumPoolSize(1);
        pool.setConnectionInitSql("SET ROLE " + role);

        assertThat(queueOn(pool).removePartitions(RETENTION).postponed())
            .containsExactly(new Postponed("jobs_archive_20240304", Reason.FORBIDDEN));
      } finally {
        fixture.execute("DROP OWNED BY " + role);
        fixture.execute("DROP ROLE " + role);
      }
    }
  }

  /** Batches shrink until they fit the statement timeout. */
  @Test
  void aShortStatementTimeoutDoesNotKeepJobsFromBeingDeleted() throws SQLException {
    fixture.execute("SELECT @create_partition('jobs_archive', now() - interval '3 days')");
    fixture.execute(
        "INSERT INTO @job_queues (queue, archive_retention) VALUES ('mail', interval '1 day')");
    archive("now() - interval '3 days'", "mail", 500);
    try (RowTimeout timeout = fixture.timeoutOver(100, "jobs_archive")) {
      RemovedPartitions result = maintenance.removePartitions(RETENTION);

      assertThat(result.rows()).isEqualTo(500);
      assertThat(result.postponed()).isEmpty();
      assertThat(timeout.aborted()).isPositive();
    }
  }

  @FunctionalInterface
  private interface Interruption {
    void run() throws SQLException;
  }

  /** Returns maintenance that is interrupted once, before the first of the given statements. */
  private Maintenance before(Predicate<String> meant, Interruption interruption) {
    AtomicBoolean isOver = new AtomicBoolean();
    DataSource interrupted =
        proxy(
            DataSource.class,
            fixture.database.dataSource(),
            sql -> {
              if (meant.test(sql.toLowerCase(Locale.ROOT)) && isOver.compareAndSet(false, true)) {
                interruption.run();
              }
            });
    return JobQueue.builder(interrupted).schema(fixture.database.schema()).build().maintenance();
  }

  @FunctionalInterface
  private interface SqlHook {
    void before(String sql) throws SQLException;
  }

  private static <T> T proxy(Class<T> type, Object target, SqlHook hook) {
    return type.cast(
        Proxy.newProxyInstance(
            PartitionRemovalTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("execute")
                  && arguments != null
                  && arguments[0] instanceof String sql) {
                hook.before(sql);
              }
              try {
                Object result = method.invoke(target, arguments);
                return switch (method.getName()) {
                  case "getConnection" ->
                      type == DataSource.class ? proxy(Connection.class, result, hook) : result;
                  case "createStatement" -> proxy(Statement.class, result, hook);
                  default -> result;
                };
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }

  private Maintenance queueOn(HikariDataSource pool) {
    return JobQueue.builder(pool).schema(fixture.database.schema()).build().maintenance();
  }

  private PartitionDdl ddl() {
    return new PartitionDdl(
        fixture.database.dataSource(),
        Lazy.of(() -> StatementDialect.forSchema(fixture.database.schema())));
  }

  private void partition(String table, String day) {
    fixture.execute("SELECT @create_partition('%s', '%s 00:00+00')".formatted(table, day));
  }

  private void archive(String finishedAt, String queue, int jobs) {
    String at = finishedAt.startsWith("now()") ? finishedAt : "'" + finishedAt + "'";
    fixture.execute(
        """
        INSERT INTO @jobs_archive (id, finished_at, status, queue, kind, payload, payload_version, priority,
                                   scheduled_at, created_at, attempts, uncounted_attempts, max_attempts)
        SELECT nextval('@jobs_id_seq'), %s, 'completed', '%s', 'work', '{}', 1, 0, now(), now(), 1, 0, 1 FROM generate_series(1, %d)
        """
            .formatted(at, queue, jobs));
  }

  private String archived() {
    return fixture.value(
        "SELECT string_agg(queue || ' ' || n, ', ' ORDER BY queue) FROM (SELECT queue, count(*) n"
            + " FROM @jobs_archive GROUP BY queue) q");
  }

  private boolean exists(String table) {
    return fixture.value("SELECT to_regclass('@%s') IS NOT NULL".formatted(table)).equals("t");
  }

  private String pending() {
    return fixture.value(
        "SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE"
            + " inhdetachpending");
  }

  private void read(Connection reader) throws SQLException {
    reader.setAutoCommit(false);
    for (String table : List.of("job_executions", "jobs_archive")) {
      select(reader, table);
    }
  }

  private void select(Connection reader, String table) throws SQLException {
    try (Statement statement = reader.createStatement()) {
      statement.execute("SELECT count(*) FROM " + fixture.database.schema() + "." + table);
    }
  }
}
