package dev.skipjack.operations.diagnosis;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Finding.Level;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests the doctor on a real server: each check that a test can make green, yellow or red. */
@QueueTest
class JooqDoctorTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.queue.maintenance().createPartitions(Duration.ofDays(14));
  }

  @Test
  void aHealthyQueueIsGreenApartFromTheTestServersSettings() {
    announce("default", "work");
    fixture.enqueue(3);
    fixture.claim(1);

    List<Finding> findings = fixture.queue.doctor().run();

    assertThat(findings)
        .extracting(Finding::check)
        .containsExactly(
            "schema-version",
            "settings",
            "pooler",
            "clock",
            "connections",
            "notify-queue",
            "vacuum-horizon",
            "dead-rows",
            "index-size",
            "partitions",
            "leases",
            "workers",
            "kinds",
            "paused-queues",
            "limits",
            "dead-jobs",
            "long-attempts",
            "schedules",
            "blocked-keys");
    // Test servers run without fsync, and other tests may use their connections.
    assertThat(findings)
        .filteredOn(finding -> !List.of("settings", "connections").contains(finding.check()))
        .allSatisfy(finding -> assertThat(finding.level()).isEqualTo(Level.GREEN));
    assertThat(findings)
        .allSatisfy(finding -> assertThat(finding.meaning()).endsWith("."))
        .allSatisfy(
            finding -> assertThat(finding.fix() == null).isEqualTo(finding.level() == Level.GREEN));
  }

  private void dropPartitions(String table) {
    fixture.execute(
        "DO $$ DECLARE child regclass; BEGIN FOR child IN SELECT inhrelid::regclass FROM"
            + " pg_inherits WHERE inhparent = '@%s'::regclass LOOP EXECUTE 'DROP TABLE '"
                .formatted(table)
            + " || child; END LOOP; END $$");
  }

  @Test
  void aMissingPartitionOfTodayIsRed() {
    dropPartitions("jobs_archive");

    assertThat(level("partitions")).isEqualTo(Level.RED);
    fixture.queue.maintenance().createPartitions(Duration.ofDays(1));
    assertThat(level("partitions")).isEqualTo(Level.YELLOW);
    fixture.queue.maintenance().createPartitions(Duration.ofDays(14));
    assertThat(level("partitions")).isEqualTo(Level.GREEN);
  }

  @Test
  void leasesThatNoWorkerRescuesAreYellowAndThenRed() {
    fixture.enqueue(2);
    fixture.claim(1);
    fixture.claim(1, EXPIRED);
    assertThat(level("leases")).isEqualTo(Level.GREEN);

    expire("1 minute");
    assertThat(level("leases")).isEqualTo(Level.YELLOW);
    assertThat(finding("leases").sentence())
        .isEqualTo("1 lease has expired, the first 1 min 0 s ago; 2 jobs are running.");
    expire("10 minutes");
    assertThat(level("leases")).isEqualTo(Level.RED);
    fixture.store.rescue(Duration.ZERO, 1000);
    assertThat(level("leases")).isEqualTo(Level.GREEN);
  }

  @Test
  void aQueueWithoutAWorkerIsYellowUntilJobsAreDue() {
    assertThat(level("workers")).isEqualTo(Level.YELLOW);
    fixture.enqueue(1);
    assertThat(level("workers")).isEqualTo(Level.RED);
    announce("default", "work");
    assertThat(level("workers")).isEqualTo(Level.GREEN);
    fixture.execute("UPDATE @job_workers SET seen_at = now() - interval '4 minutes'");
    assertThat(level("workers")).isEqualTo(Level.RED);
    fixture.execute("UPDATE @job_workers SET seen_at = '9999-12-31'");
    assertThat(level("workers")).isEqualTo(Level.RED);
    assertThat(level("kinds")).isNotEqualTo(Level.GREEN);
  }

  @Test
  void aKindThatNoLivingWorkerHandlesIsRedOnceItsJobHasBeenDueForAMinute() {
    announce("default", "other");
    announce("emails", "work");
    fixture.enqueue(1);
    assertThat(level("kinds")).isEqualTo(Level.YELLOW);

    fixture.database.timeTravel(Duration.ofMinutes(2));
    assertThat(level("kinds")).isEqualTo(Level.RED);
    assertThat(finding("kinds").sentence())
        .startsWith("No living worker handles the kind work in the queue default, where a job");
    fixture.queue.admin().pause("default");
    assertThat(level("kinds")).isEqualTo(Level.GREEN);
    fixture.queue.admin().resume("default");
    announce("default", "work");
    assertThat(level("kinds")).isEqualTo(Level.GREEN);
  }

  @Test
  void aKindWhoseJobsWaitForTheirOrderingKeyNeedsAWorkerToo() {
    announce("default", "other");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, scheduled_at) VALUES ('work', '{}', 'waiting', 'k', now() - interval '2 min')");
    assertThat(level("kinds")).isEqualTo(Level.RED);
    fixture.queue.admin().pause("default");
    assertThat(level("kinds")).isEqualTo(Level.GREEN);
    fixture.queue.admin().resume("default");
    announce("default", "work");
    assertThat(level("kinds")).isEqualTo(Level.GREEN);
  }

  @Test
  void deadJobsAreYellow() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at) VALUES ('work', '{}', 'dead', now() - interval '2 h'), ('work', '{}', 'dead', now() - interval '1 min')");

    assertThat(level("dead-jobs")).isEqualTo(Level.YELLOW);
    assertThat(finding("dead-jobs").sentence())
        .isEqualTo("2 jobs are dead; the first died 2 h 0 min ago, the last 1 min 0 s ago.");
    fixture.execute("UPDATE @jobs SET died_at = NULL");
    assertThat(finding("dead-jobs").sentence()).isEqualTo("2 jobs are dead.");
    fixture.execute("DELETE FROM @jobs WHERE id = (SELECT min(id) FROM @jobs)");
    fixture.execute("UPDATE @jobs SET died_at = now() - interval '3 h'");
    assertThat(finding("dead-jobs").sentence()).isEqualTo("1 job is dead; it died 3 h 0 min ago.");
  }

  @Test
  void anAttemptThatRunsForHoursNamesItsProcess() {
    WorkerId worker = WorkerId.boot("w");
    fixture
        .queue
        .workers()
        .announce(new WorkerRow(worker, "app-1", 4711, List.of("default"), List.of("work"), "{}"));
    fixture.enqueue(2);
    fixture.claim(2);
    assertThat(level("long-attempts")).isEqualTo(Level.GREEN);

    fixture.execute(
        "UPDATE @jobs SET started_at = now() - interval '3 h', locked_by = '%s' WHERE id = (SELECT min(id) FROM @jobs)"
            .formatted(worker));

    Finding finding = finding("long-attempts");
    assertThat(finding.level()).isEqualTo(Level.YELLOW);
    assertThat(finding.sentence())
        .matches(
            "1 attempt has run for 2 h 0 min or longer\\. Job \\d+ of the kind work has run for 3 h 0"
                + " min on worker w/[0-9a-f]{8}, process 4711 on host app-1\\.");
  }

  /** A server without a free connection also reports 53300. */
  @Test
  void aDatabaseThatAcceptsNoConnectionIsNotHealthy() {
    String role = "full_" + fixture.value("SELECT left(md5(current_database()), 12)");
    fixture.execute("CREATE ROLE %s LOGIN CONNECTION LIMIT 0".formatted(role));
    try {
      PGSimpleDataSource none = new PGSimpleDataSource();
      none.setUrl(fixture.database.jdbcUrl());
      none.setUser(role);

      assertThatThrownBy(
              () -> JobQueue.builder(none).schema(fixture.database.schema()).build().doctor().run())
          .isInstanceOfSatisfying(
              StoreException.class,
              refused -> assertThat(refused.sqlState().orElse("")).matches("53300|28..."));
    } finally {
      fixture.execute("DROP ROLE " + role);
    }
  }

  @Test
  void aPausedQueueIsYellowAndShowsWhoPausedItAndWhy() {
    assertThat(level("paused-queues")).isEqualTo(Level.GREEN);
    fixture
        .queue
        .admin()
        .pause("default", QueuePause.untilResumed().by("anna").because("The link is wrong."));

    Finding finding = finding("paused-queues");

    assertThat(finding.level()).isEqualTo(Level.YELLOW);
    assertThat(finding.sentence())
        .matches(
            "Queue default has been paused by anna for \\d+ s, until an operator resumes it\\."
                + " Reason: The link is wrong\\.");
    assertThat(finding.fix())
        .isEqualTo(new Fix("skipjack queues resume default", "queue.admin().resume(\"default\")"));
    fixture.execute(
        "INSERT INTO @job_queues (queue, paused_at) VALUES ('older', now() - interval '1 h'),"
            + " ('oldest', now() - interval '2 h')");
    assertThat(finding("paused-queues").sentence())
        .isEqualTo(
            "2 other queues are paused too. Queue oldest has been paused for 2 h 0 min, until an"
                + " operator resumes it.");
    fixture.execute(
        "UPDATE @job_queues SET paused_at = now() - interval '2 s', paused_until = now() - interval"
            + " '1 s'");
    assertThat(level("paused-queues")).isEqualTo(Level.GREEN);
  }

  @Test
  void schedulesNeedAWorkerThatHandlesTheirJobsAndFiresThem() {
    assertThat(finding("schedules").sentence()).isEqualTo("There are no active schedules.");
    fixture
        .queue
        .schedules()
        .add(Schedule.every(Duration.ofDays(1)).named("daily").enqueue(WORK, new Work(1)));
    assertThat(level("schedules")).isEqualTo(Level.YELLOW);
    announce("default", "work");
    assertThat(level("schedules")).isEqualTo(Level.GREEN);

    fixture.execute("UPDATE @job_schedules SET failures = 3, last_error = 'no'");
    assertThat(finding("schedules").sentence())
        .isEqualTo("Schedule daily has failed to fire 3 times: no");
    fixture.execute(
        "INSERT INTO @job_schedules (name, cron, queue, kind, payload, origin) SELECT 'a' || n, '@daily', 'default', 'work', '1', 'operator' FROM generate_series(1, 1000) AS n");
    assertThat(finding("schedules").sentence()).startsWith("Schedule daily has failed");
    fixture.execute("DELETE FROM @job_schedules WHERE name <> 'daily'");
    fixture.execute("UPDATE @job_schedules SET due_at = now() - interval '1 hour'");
    assertThat(finding("schedules").sentence())
        .isEqualTo("Schedule daily should have fired 1 h 0 min ago.");
    assertThat(level("schedules")).isEqualTo(Level.RED);
    fixture.queue.schedules().pause("daily");
    assertThat(level("schedules")).isEqualTo(Level.GREEN);
  }

  @Test
  void aBlockedOrderingKeyIsYellow() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at, ordering_key, ordering_head) VALUES"
            + " ('work', '{}', 'dead', now(), 'order-7', true)");

    assertThat(level("blocked-keys")).isEqualTo(Level.YELLOW);
    assertThat(finding("blocked-keys").sentence())
        .isEqualTo("Dead jobs block 1 ordering key, for example order-7.");
    String head = fixture.value("SELECT id FROM @jobs");
    assertThat(finding("blocked-keys").fix())
        .isEqualTo(
            new Fix(
                "skipjack keys unblock --job " + head,
                "queue.admin().unblock(\"order-7\", new JobId(%s)), or redrive the dead job"
                    .formatted(head)));
    fixture.queue.admin().unblock("order-7");
    assertThat(level("blocked-keys")).isEqualTo(Level.GREEN);
  }

  @Test
  void anOpenTransactionOfAnotherSessionIsSeen(QueueDatabase database) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT 42 AS held FROM pg_class LIMIT 1");

      assertThat(
              new OwnTransactions(database.dataSource())
                  .readOnly()
                  .run(HorizonStatement.of(StatementDialect.forSchema(database.schema()))))
          .anySatisfy(
              holder -> {
                assertThat(holder.what()).isEqualTo("session");
                assertThat(holder.age()).isNotNull();
                assertThat(holder.query()).contains("SELECT 42 AS held");
              });
      connection.rollback();
    }
  }

  @Test
  void anIdleTransactionThatWroteIsSeenWithoutASnapshot(QueueDatabase database)
      throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT 43 AS wrote, pg_current_xact_id()");

      assertThat(
              new OwnTransactions(database.dataSource())
                  .readOnly()
                  .run(HorizonStatement.of(StatementDialect.forSchema(database.schema()))))
          .anySatisfy(
              holder -> {
                assertThat(holder.age()).isNotNull();
                assertThat(holder.query()).contains("SELECT 43 AS wrote");
              });
      connection.rollback();
    }
  }

  /** The test supplies the rows of pg_stat_activity, because it cannot have a standby. */
  @Test
  void feedbackOfAStandbyHoldsBackVacuumAndAVacuumDoesNot(QueueDatabase database)
      throws SQLException {
    String horizon =
        HorizonStatement.of(StatementDialect.forSchema(database.schema()))
            .text()
            .sql()
            .replace("\"pg_catalog\".\"pg_stat_activity\"", "given");
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE TEMPORARY TABLE given AS
          SELECT pid, usename, datname, backend_xid::text::xid, '3'::xid AS backend_xmin, xact_start, query
            FROM (VALUES (1, 'app'::name, current_database(), NULL::text, now(), 'SELECT 1'),
                         (2, NULL, current_database(), NULL, now(), 'autovacuum: VACUUM public.jobs'),
                         (3, 'app', current_database(), NULL, now(), 'vacuum (verbose) jobs'),
                         (4, 'app', 'another', NULL, now(), 'SELECT 1'),
                         (5, 'standby', NULL, NULL, NULL, 'START_REPLICATION 0/1000000'),
                         (6, NULL, current_database(), NULL, now(), 'autovacuum: ANALYZE public.jobs'))
                 AS session (pid, usename, datname, backend_xid, xact_start, query)
          """);
      List<String> sessions = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery(horizon)) {
        while (rows.next()) {
          if (rows.getString("what").equals("session")) {
            sessions.add(rows.getString("id"));
          }
        }
      } finally {
        statement.execute("DROP TABLE given");
      }
      assertThat(sessions).containsExactlyInAnyOrder("1", "5", "6");
    }
  }

  @Test
  void theNumberOfAnalyzedRowsSurvivesAResetOfTheStatistics(QueueDatabase database) {
    fixture.enqueue(7);
    fixture.execute("ANALYZE @jobs");
    fixture.execute("SELECT pg_stat_reset_single_table_counters('@jobs'::regclass)");

    assertThat(
            new OwnTransactions(database.dataSource())
                .readOnly()
                .run(
                    TableFactsStatement.of(
                        StatementDialect.forSchema(database.schema()), database.schema())))
        .filteredOn(table -> table.table().equals("jobs"))
        .extracting(TableFactsStatement.Facts::analyzedRows)
        .containsExactly(7L);
  }

  @Test
  void deadRowsAreReadFromTheStatistics() {
    fixture.execute("ALTER TABLE @jobs SET (autovacuum_enabled = off)");
    try {
      fixture.execute(
          "INSERT INTO @jobs (kind, payload) SELECT 'k', '{}' FROM generate_series(1, 40000);"
              + " DELETE FROM @jobs; SELECT pg_stat_force_next_flush()");
      fixture.execute("ANALYZE @jobs");

      assertThat(level("dead-rows")).isEqualTo(Level.YELLOW);
    } finally {
      fixture.execute("VACUUM @jobs");
      fixture.execute("ALTER TABLE @jobs RESET (autovacuum_enabled)");
    }
    assertThat(level("dead-rows")).isEqualTo(Level.GREEN);
  }

  @Test
  void withoutAQueueTheSchemaIsRedAndTheRestIsNotChecked(QueueDatabase database) {
    JobQueue nowhere = JobQueue.builder(database.dataSource()).schema("nowhere").build();

    List<Finding> findings = nowhere.doctor().run();

    assertThat(findings.get(0).level()).isEqualTo(Level.RED);
    assertThat(findings.get(0).sentence()).isEqualTo("There is no queue in this schema.");
    assertThat(findings)
        .filteredOn(finding -> finding.check().equals("leases"))
        .allSatisfy(finding -> assertThat(finding.level()).isEqualTo(Level.NOT_CHECKED));
  }

  @Test
  void checksThatARoleMayNotRunAreReportedAsNotChecked(QueueDatabase database) {
    String role = "d" + fixture.value("SELECT left(md5(current_database()), 12)");
    fixture.execute("CREATE ROLE " + role);
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(1);
      pool.setConnectionInitSql("SET ROLE " + role);
      List<Finding> findings =
          JobQueue.builder(pool).schema(database.schema()).build().doctor().run();

      assertThat(findings)
          .filteredOn(finding -> List.of("schema-version", "leases").contains(finding.check()))
          .allSatisfy(
              finding -> {
                assertThat(finding.level()).isEqualTo(Level.NOT_CHECKED);
                assertThat(finding.sentence())
                    .isEqualTo("The role may not read what this check needs.");
              });
      assertThat(findings).hasSize(19);
    } finally {
      fixture.execute("DROP ROLE " + role);
    }
  }

  @Test
  void rejectedStatementAboutTheServerPreventsOnlyItsOwnCheck(QueueDatabase database) {
    String role = "d" + fixture.value("SELECT left(md5(current_database()), 12)");
    fixture.execute("CREATE ROLE " + role);
    fixture.execute("REVOKE EXECUTE ON FUNCTION pg_notification_queue_usage() FROM PUBLIC");
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(1);
      pool.setConnectionInitSql("SET ROLE " + role);

      assertThat(JobQueue.builder(pool).schema(database.schema()).build().doctor().run())
          .hasSize(19)
          .filteredOn(
              finding ->
                  List.of("settings", "pooler", "clock", "connections", "notify-queue")
                      .contains(finding.check()))
          .filteredOn(finding -> finding.level() == Level.NOT_CHECKED)
          .extracting(Finding::check)
          .containsExactly("notify-queue");
    } finally {
      fixture.execute("GRANT EXECUTE ON FUNCTION pg_notification_queue_usage() TO PUBLIC");
      fixture.execute("DROP ROLE " + role);
    }
  }

  @Test
  void connectionsReservedForRolesAreNotLeftToTheQueue(QueueDatabase database) {
    int reserved =
        Integer.parseInt(
            fixture.value(
                "SELECT sum(setting::int) FROM pg_settings WHERE name IN"
                    + " ('superuser_reserved_connections', 'reserved_connections')"));

    ConnectionFactsStatement.Facts connections =
        new OwnTransactions(database.dataSource())
            .readOnly()
            .run(ConnectionFactsStatement.of(StatementDialect.forSchema(database.schema())))
            .get(0);

    assertThat(connections.reserved()).isEqualTo(reserved);
    assertThat(connections.maximum()).isGreaterThan(connections.reserved());
    assertThat(connections.used()).isPositive();
  }

  @Test
  void unreachableDatabaseIsAnErrorAndNotAFinding() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl("jdbc:postgresql://localhost:1/none");
      pool.setInitializationFailTimeout(-1);
      pool.setConnectionTimeout(250);
      JobQueue queue = JobQueue.on(pool);

      assertThatThrownBy(() -> queue.doctor().run()).isInstanceOf(StoreException.class);
    }
  }

  private Finding finding(String check) {
    return fixture.queue.doctor().run().stream()
        .filter(finding -> finding.check().equals(check))
        .findFirst()
        .orElseThrow();
  }

  private Level level(String check) {
    return finding(check).level();
  }

  private void expire(String ago) {
    fixture.execute(
        "UPDATE @jobs SET lease_expires_at = now() - interval '%s' WHERE lease_expires_at < now()"
            .formatted(ago));
  }

  private void announce(String queue, String kind) {
    fixture
        .queue
        .workers()
        .announce(new WorkerRow(WorkerId.boot("w"), "h", 1, List.of(queue), List.of(kind), "{}"));
  }
}
