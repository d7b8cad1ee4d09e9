package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.faults.RowTimeout;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the pruning of expired rows that are not in a partition. */
@QueueTest
class PruneTest {

  private static final Pruned NOTHING = new Pruned(0, 0, false);

  private Fixture fixture;
  private Maintenance maintenance;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    maintenance = fixture.queue.maintenance();
  }

  @Nested
  class Keys {

    @Test
    void expiredKeysAreDeletedAndOthersKept() {
      keys("old", "now() - interval '1 second'", 12_000);
      keys("new", "now() + interval '1 hour'", 3);

      assertThat(maintenance.prune()).isEqualTo(new Pruned(12_000, 0, false));

      assertThat(fixture.value("SELECT string_agg(key, ',' ORDER BY key) FROM @job_keys"))
          .isEqualTo("new1,new2,new3");
      assertThat(maintenance.prune()).isEqualTo(NOTHING);
    }

    @Test
    void keysThatAnEnqueueIsTakingOverAreKeptWithoutWaiting() throws SQLException {
      keys("old", "now() - interval '1 second'", 2);
      try (Connection enqueue = fixture.database.connection();
          Statement statement = enqueue.createStatement()) {
        enqueue.setAutoCommit(false);
        statement.execute(
            "UPDATE %s.job_keys SET job_id = 7, expires_at = now() + interval '1 hour' WHERE key = 'old1'"
                .formatted(fixture.database.schema()));

        assertThat(maintenance.prune()).isEqualTo(new Pruned(1, 0, false));
        enqueue.commit();
      }
      assertThat(fixture.value("SELECT key || job_id FROM @job_keys")).isEqualTo("old17");
    }

    private void keys(String name, String expiresAt, int count) {
      fixture.execute(
          "INSERT INTO @job_keys SELECT '%s' || n, n, %s FROM generate_series(1, %d) n"
              .formatted(name, expiresAt, count));
    }
  }

  @Nested
  class Trouble {

    /** Such a row is written in SQL, because no method of the library accepts the name. */
    @Test
    void aQueueOfANameThatJavaRefusesIsPrunedLikeAnyOther() {
      fixture.execute("ALTER DOMAIN @job_queue_name DROP CONSTRAINT job_queue_name_check");
      fixture.execute(
          "INSERT INTO @job_queues (queue, dead_retention) VALUES ('Emails', '1 hour'), ('mail', '1"
              + " hour')");
      dead("Emails", "interval '2 hours'", 2);
      dead("mail", "interval '2 hours'", 3);

      assertThat(maintenance.prune()).isEqualTo(new Pruned(0, 5, false));
    }

    @Test
    void failureOfOneQueueDoesNotStopThePruningOfOthersAndKeys() {
      fixture.execute(
          "INSERT INTO @job_queues (queue, dead_retention) VALUES ('a', '1 hour'), ('b', '1 hour'),"
              + " ('c', '1 hour')");
      for (String queue : List.of("a", "b", "c")) {
        dead(queue, "interval '2 hours'", 1);
      }
      fixture.execute("INSERT INTO @job_keys VALUES ('over', 1, now() - interval '1 hour')");
      fixture.execute(
          """
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$;
          CREATE TRIGGER refuse BEFORE DELETE ON @jobs FOR EACH ROW WHEN (OLD.queue = 'b') EXECUTE FUNCTION refuse()
          """);
      try {
        Pruned pruned = maintenance.prune();

        assertThat(pruned.keys()).isEqualTo(1);
        assertThat(pruned.jobs()).isEqualTo(2);
        assertThat(pruned.failed())
            .singleElement()
            .asString()
            .startsWith("Dead jobs of queue 'b' were not pruned. ")
            .contains("kept");
      } finally {
        fixture.execute("DROP TRIGGER refuse ON @jobs; DROP FUNCTION refuse()");
      }
    }

    @Test
    void failureOfTheKeysDoesNotStopThePruningOfDeadJobs() {
      fixture.execute("INSERT INTO @job_queues (queue, dead_retention) VALUES ('a', '1 hour')");
      dead("a", "interval '2 hours'", 1);
      fixture.execute("INSERT INTO @job_keys VALUES ('over', 1, now() - interval '1 hour')");
      fixture.execute(
          """
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$;
          CREATE TRIGGER refuse BEFORE DELETE ON @job_keys FOR EACH ROW EXECUTE FUNCTION refuse()
          """);
      try {
        Pruned pruned = maintenance.prune();

        assertThat(pruned.jobs()).isEqualTo(1);
        assertThat(pruned.failed()).singleElement().asString().startsWith("Keys were not pruned. ");
      } finally {
        fixture.execute("DROP TRIGGER refuse ON @job_keys; DROP FUNCTION refuse()");
      }
    }
  }

  @Nested
  class DeadJobsOfAQueue {

    @BeforeEach
    void keepForAnHour() {
      fixture.queue.admin().configure("mail", hour());
      fixture.queue.admin().configure("keeps", QueueSettings.defaults());
    }

    @Test
    void deadJobsOlderThanTheirQueuesRetentionAreDeleted() {
      dead("mail", "interval '61 minutes'", 1_200);
      dead("mail", "interval '59 minutes'", 3);
      dead("keeps", "interval '90 days'", 4);
      dead("unset", "interval '90 days'", 5);
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, created_at, scheduled_at) VALUES ('mail',"
              + " 'work', '{}', now() - interval '1 year', now() - interval '1 year')");

      assertThat(maintenance.prune()).isEqualTo(new Pruned(0, 1_200, false));

      assertThat(
              fixture.value(
                  "SELECT string_agg(queue || status || n, ',' ORDER BY queue, status) FROM (SELECT"
                      + " queue, status, count(*) AS n FROM @jobs GROUP BY 1, 2) AS left_over"))
          .isEqualTo("keepsdead4,maildead3,mailpending1,unsetdead5");
      assertThat(maintenance.prune()).isEqualTo(NOTHING);
    }

    @Test
    void deadJobsThatAnOperatorRedrivesMeanwhileAreKept() throws SQLException {
      dead("mail", "interval '2 hours'", 2);
      String schema = fixture.database.schema();
      try (Connection person = fixture.database.connection();
          Statement statement = person.createStatement()) {
        person.setAutoCommit(false);
        statement.execute(
            "UPDATE %1$s.jobs SET status = 'pending', died_at = NULL WHERE id = (SELECT min(id) FROM %1$s.jobs)"
                .formatted(schema));

        assertThat(maintenance.prune()).isEqualTo(new Pruned(0, 1, false));
        person.commit();
      }
      assertThat(fixture.value("SELECT status || count(*) FROM @jobs GROUP BY status"))
          .isEqualTo("pending1");
    }

    @Test
    void deadJobsAreDeletedUnderAShortStatementTimeout() throws SQLException {
      dead("mail", "interval '2 hours'", 600);
      try (RowTimeout timeout = fixture.timeoutOver(100, "jobs")) {
        assertThat(maintenance.prune()).isEqualTo(new Pruned(0, 600, false));
        assertThat(timeout.aborted()).isPositive();
      }
    }

    /** Each call has time for one batch, as if ten seconds had passed after it. */
    @Test
    void severalCallsVisitAllDeadJobsHoweverManyAreYoung() {
      dead("first", "interval '1 minute'", 5_000);
      dead("first", "interval '2 hours'", 3);
      dead("second", "interval '2 hours'", 2);
      Map<String, Instant> cutoffs = new HashMap<>();
      Instant now = Instant.now();
      for (String queue : List.of("zero", "first", "second")) {
        cutoffs.put(queue, now.minus(Duration.ofHours(1)));
      }
      DeadJobPruner pruner = pruner();
      List<Long> pruned = new ArrayList<>();
      boolean isDone = false;
      while (!isDone && pruned.size() < 20) {
        Pruned call = pruner.prune(cutoffs, now, System.nanoTime());
        isDone = !call.unfinished();
        assertThat(call.failed()).isEmpty();
        pruned.add(call.jobs());
      }

      // The calls read three batches of the first queue, one of the second, and then no more rows.
      assertThat(pruned).containsExactly(0L, 0L, 3L, 2L, 0L);
    }

    @Test
    void queueWhoseRetentionWasRemovedBetweenTwoCallsDelaysNoOther() {
      dead("first", "interval '1 minute'", 2_100);
      dead("second", "interval '2 hours'", 2);
      Instant now = Instant.now();
      Instant cutoff = now.minus(Duration.ofHours(1));
      DeadJobPruner pruner = pruner();

      Map<String, Instant> both = Map.of("first", cutoff, "second", cutoff);
      assertThat(pruner.prune(both, now, System.nanoTime())).isEqualTo(new Pruned(0, 0, true));
      Pruned second = pruner.prune(Map.of("second", cutoff), now, System.nanoTime());

      assertThat(second.jobs()).isEqualTo(2);
      assertThat(second.failed()).isEmpty();
    }

    private DeadJobPruner pruner() {
      OwnTransactions transactions = new OwnTransactions(fixture.database.dataSource());
      Lazy<DSLContext> dialect =
          Lazy.of(() -> StatementDialect.forSchema(fixture.database.schema()));
      return new DeadJobPruner(
          new DeadJobWalker(
              transactions,
              PartitionHealing.by(transactions, dialect),
              dialect,
              new Successors(new JooqOrderedJobs(transactions, dialect), owners -> {})));
    }

    private static QueueSettings hour() {
      return QueueSettings.defaults().deadRetention(Duration.ofHours(1));
    }
  }

  /**
   * A page reads no more rows than its limit, even if many rows are too young, so that a statement
   * timeout cannot stop the walk.
   */
  @ParameterizedTest
  @CsvSource({
    "force_generic_plan, 1000, 0",
    "force_generic_plan, 49000, 0",
    "force_generic_plan, 1000, 7200000000",
    "force_custom_plan, 1000, 0",
    "force_custom_plan, 49000, 0",
    "force_custom_plan, 1000, 7200000000"
  })
  void theWalkOfDeadJobsUsesTheirIndex(String mode, int passed, String age) throws SQLException {
    dead("mail", "interval '1 hour'", 50_000);
    fixture.execute("ANALYZE @jobs");
    StatementText walkQueue =
        WalkDeadJobsStatement.of(StatementDialect.forSchema(fixture.database.schema()), true, false)
            .text();
    try (Connection connection = fixture.database.connection()) {
      String after = fixture.value("SELECT min(id) + %d FROM @jobs".formatted(passed));
      Plan.Run page =
          Plan.ran(
              connection,
              walkQueue,
              mode,
              List.of("'mail'", "'mail'", "'work'", after, "500", age));
      assertThat(page.plan())
          .contains("Index Scan using jobs_dead_idx")
          .doesNotContain("Seq Scan on jobs");
      // This is about ten pages of the table and a few of the index.
      assertThat(page.pages()).isLessThan(60);
    }
  }

  private void dead(String queue, String age, int count) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, attempts, max_attempts, died_at)"
            + " SELECT '%s', 'work', '{}', 'dead', 1, 1, now() - %s FROM generate_series(1, %d)"
                .formatted(queue, age, count));
  }
}
