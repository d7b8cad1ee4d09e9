package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.GiveBack;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QueueTest
class OutcomeStatementsTest {

  private static final JobError ERROR = JobError.of(new IllegalStateException("no luck"));

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Nested
  class Complete {

    @Test
    void movesTheJobToTheArchiveAndClosesItsAuditRow() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);

      assertThat(fixture.store.complete(List.of(execution))).containsExactly(Verdict.DONE);

      assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
      assertThat(fixture.value("SELECT status || payload::text || execution_id FROM @jobs_archive"))
          .isEqualTo("completed{\"number\": 1}" + execution.id());
      assertThat(fixture.value("SELECT status || (finished_at >= started_at) FROM @job_executions"))
          .isEqualTo("succeededtrue");
    }

    @Test
    void answersEachRowInTheOrderOfTheInput() {
      fixture.enqueue(3);
      List<Execution> claimed = fixture.claim(3).stream().map(ClaimedJob::execution).toList();
      fixture.store.complete(List.of(claimed.get(1)));

      assertThat(fixture.store.complete(List.of(claimed.get(2), claimed.get(1), claimed.get(0))))
          .containsExactly(Verdict.DONE, Verdict.LOST, Verdict.DONE);
    }

    @Test
    void lateCompletionAfterRescueIsRefused() {
      fixture.enqueue(1);
      Execution zombie = fixture.claimOne(EXPIRED);
      fixture.store.rescue(Duration.ZERO, 10);
      Execution current = fixture.claimOne(LEASE);

      assertThat(fixture.store.complete(List.of(zombie))).containsExactly(Verdict.LOST);
      assertThat(fixture.store.complete(List.of(current))).containsExactly(Verdict.DONE);
      assertThat(
              fixture.value("SELECT string_agg(status, ' ' ORDER BY attempt) FROM @job_executions"))
          .isEqualTo("lost succeeded");
    }

    @Test
    void doesNotWaitForARowThatSomebodyHolds() throws Exception {
      fixture.enqueue(3);
      List<Execution> claimed = fixture.claim(3).stream().map(ClaimedJob::execution).toList();
      try (Connection rival = fixture.database.connection();
          Statement statement = rival.createStatement()) {
        rival.setAutoCommit(false);
        statement.execute(
            "SELECT FROM "
                + fixture.database.schema()
                + ".jobs WHERE id = "
                + claimed.get(1).jobId()
                + " FOR UPDATE");

        assertThat(fixture.store.heartbeat(claimed, LEASE))
            .extracting(Renewal::verdict)
            .containsExactly(Verdict.DONE, Verdict.BUSY, Verdict.DONE);
        assertThat(fixture.store.complete(claimed))
            .containsExactly(Verdict.DONE, Verdict.BUSY, Verdict.DONE);
        rival.rollback();
      }
      assertThat(fixture.store.complete(claimed))
          .containsExactly(Verdict.LOST, Verdict.DONE, Verdict.LOST);
    }

    @Test
    void archivesNothingForAQueueThatKeepsNothing() {
      fixture.execute(
          "INSERT INTO @job_queues (queue, archive_retention) VALUES ('default', interval '0')");
      fixture.enqueue(1);

      assertThat(fixture.store.complete(List.of(fixture.claimOne(LEASE))))
          .containsExactly(Verdict.DONE);

      assertThat(
              fixture.value(
                  "SELECT (SELECT count(*) FROM @jobs_archive) + (SELECT count(*) FROM @jobs)"))
          .isEqualTo("0");
      assertThat(fixture.value("SELECT status FROM @job_executions")).isEqualTo("succeeded");
    }

    @Test
    void createsAMissingPartitionOfTheArchive() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      fixture.execute(
          "DO $$ DECLARE p text; BEGIN FOR p IN SELECT inhrelid::regclass FROM pg_inherits"
              + " WHERE inhparent = '@jobs_archive'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$");

      assertThat(fixture.store.complete(List.of(execution))).containsExactly(Verdict.DONE);
      assertThat(fixture.value("SELECT count(*) FROM @jobs_archive")).isEqualTo("1");
    }

    @Test
    void ofNothingAsksNothing() {
      assertThat(fixture.store.complete(List.of())).isEmpty();
      assertThat(fixture.store.heartbeat(List.of(), LEASE)).isEmpty();
      assertThat(fixture.store.fail(List.of())).isEmpty();
    }
  }

  @Nested
  class CompleteIn {

    @Test
    void commitsAndRollsBackWithTheHandlersTransaction() throws Exception {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        fixture.store.completeIn(connection, execution);
        connection.rollback();
        assertThat(fixture.owns(execution)).isTrue();

        fixture.store.completeIn(connection, execution);
        connection.commit();
      }
      assertThat(fixture.owns(execution)).isFalse();
      assertThat(fixture.value("SELECT status FROM @jobs_archive")).isEqualTo("completed");
    }

    @Test
    void leavesTheCallersPlannerSettingsAsTheyWere() throws Exception {
      for (String setting : List.of("on", "off")) {
        fixture.enqueue(1);
        Execution execution = fixture.claimOne(LEASE);
        try (Connection connection = fixture.database.connection();
            Statement statement = connection.createStatement()) {
          connection.setAutoCommit(false);
          statement.execute("SET LOCAL enable_seqscan = " + setting);

          fixture.store.completeIn(connection, execution);

          try (ResultSet row = statement.executeQuery("SHOW enable_seqscan")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo(setting);
          }
          connection.commit();
        }
      }
      assertThat(fixture.value("SHOW enable_seqscan")).isEqualTo("on");
    }

    @Test
    void refusesAnExecutionThatLostItsLease() throws Exception {
      fixture.enqueue(1);
      Execution zombie = fixture.claimOne(EXPIRED);
      fixture.store.rescue(Duration.ZERO, 10);
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> fixture.store.completeIn(connection, zombie))
            .isInstanceOf(LeaseLostException.class)
            .hasMessageContaining("job " + zombie.jobId());
        connection.rollback();
      }
    }

    @Test
    void keepsTheJobFromBeingRescuedWhileTheTransactionIsOpen() throws Exception {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(EXPIRED);
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        fixture.store.completeIn(connection, execution);

        assertThat(fixture.store.rescue(Duration.ZERO, 10)).isEmpty();
        connection.commit();
      }
      assertThat(fixture.value("SELECT status FROM @jobs_archive")).isEqualTo("completed");
    }
  }

  @Nested
  class Fail {

    @Test
    void putsTheJobBackAfterItsBackoff() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);

      assertThat(
              fixture.store.fail(
                  List.of(new Failure(execution, ERROR, Duration.ofMinutes(5), false))))
          .containsExactly(new Ended(Verdict.DONE, JobStatus.PENDING));

      assertThat(
              fixture.value(
                  "SELECT status || ' ' || last_error || ' '"
                      + " || (scheduled_at - clock_timestamp() BETWEEN interval '4 minutes' AND interval '5 minutes') FROM @jobs"))
          .isEqualTo("pending no luck true");
      assertThat(
              fixture.value(
                  "SELECT status || ' ' || error_class || ' ' || error_message FROM @job_executions"))
          .isEqualTo("failed java.lang.IllegalStateException no luck");
    }

    @Test
    void makesTheJobDeadWhenItsAttemptsAreUsedUp() {
      fixture.enqueue(1);
      for (int attempt = 1; attempt <= 3; attempt++) {
        Ended verdict =
            fixture
                .store
                .fail(List.of(new Failure(fixture.claimOne(LEASE), ERROR, Duration.ZERO, false)))
                .get(0);
        assertThat(verdict)
            .isEqualTo(new Ended(Verdict.DONE, attempt == 3 ? JobStatus.DEAD : JobStatus.PENDING));
      }
      assertThat(fixture.value("SELECT status || attempts || (died_at IS NOT NULL) FROM @jobs"))
          .isEqualTo("dead3true");
      assertThat(
              fixture.value("SELECT string_agg(status, ' ' ORDER BY attempt) FROM @job_executions"))
          .isEqualTo("failed failed dead");
    }

    @Test
    void makesTheJobDeadAtOnceWhenTheFailureIsFinal() {
      fixture.enqueue(1);

      assertThat(
              fixture.store.fail(
                  List.of(new Failure(fixture.claimOne(LEASE), ERROR, Duration.ZERO, true))))
          .containsExactly(new Ended(Verdict.DONE, JobStatus.DEAD));
    }

    @Test
    void isRefusedForAZombie() {
      fixture.enqueue(1);
      Execution zombie = fixture.claimOne(EXPIRED);
      fixture.store.rescue(Duration.ZERO, 10);
      Execution current = fixture.claimOne(LEASE);

      assertThat(fixture.store.fail(List.of(new Failure(zombie, ERROR, Duration.ZERO, true))))
          .containsExactly(new Ended(Verdict.LOST, null));
      assertThat(fixture.owns(current)).isTrue();
    }

    /** A worker that was cut off for a while may write both at once. */
    @Test
    void aStaleOutcomeInTheSameBatchChangesNothingInEitherOrder() {
      for (boolean staleFirst : List.of(true, false)) {
        fixture.database.truncate();
        fixture.enqueue(1);
        Execution stale = fixture.claimOne(EXPIRED);
        fixture.store.rescue(Duration.ZERO, 10);
        Execution current = fixture.claimOne(LEASE);
        List<Failure> batch =
            new ArrayList<>(
                List.of(
                    new Failure(stale, JobError.of("stale"), Duration.ZERO, true),
                    new Failure(current, JobError.of("current"), Duration.ZERO, false)));
        List<Ended> answers =
            new ArrayList<>(
                List.of(new Ended(Verdict.LOST, null), new Ended(Verdict.DONE, JobStatus.PENDING)));
        if (!staleFirst) {
          Collections.reverse(batch);
          Collections.reverse(answers);
        }

        assertThat(fixture.store.fail(batch)).isEqualTo(answers);
        assertThat(fixture.value("SELECT status || last_error FROM @jobs"))
            .isEqualTo("pendingcurrent");
        assertThat(
                fixture.value(
                    "SELECT string_agg(status, ' ' ORDER BY attempt) FROM @job_executions"))
            .isEqualTo("lost failed");
      }
    }

    @Test
    void takesAnyTextAndAnyDelay() {
      fixture.enqueue(1);
      JobError hostile =
          new JobError("c\0", "nul \0 high \uD800 low \uDC00 " + "x".repeat(100_000), "s\0");

      assertThat(
              fixture.store.fail(
                  List.of(
                      new Failure(
                          fixture.claimOne(LEASE),
                          hostile,
                          Duration.ofSeconds(Long.MAX_VALUE),
                          false))))
          .containsExactly(new Ended(Verdict.DONE, JobStatus.PENDING));
      assertThat(
              fixture.value(
                  "SELECT scheduled_at <= clock_timestamp() + interval '"
                      + Backoff.LONGEST.toDays()
                      + " days' FROM @jobs"))
          .isEqualTo("t");
    }

    @Test
    void freesTheUniqueKeyOfADeadJob() {
      fixture.enqueue(1);
      fixture.execute(
          "UPDATE @jobs SET unique_key = 'k', unique_label = 'k', unique_until = 'dead'");

      fixture.store.fail(List.of(new Failure(fixture.claimOne(LEASE), ERROR, Duration.ZERO, true)));

      assertThat(fixture.value("SELECT coalesce(unique_key, 'free') || unique_label FROM @jobs"))
          .isEqualTo("freek");
    }
  }

  @Nested
  class GiveBackAttempts {

    @Test
    void ofAZombieChangeNothingBesideTheCurrentOnes() {
      fixture.enqueue(1);
      Execution stale = fixture.claimOne(EXPIRED);
      fixture.store.rescue(Duration.ZERO, 10);
      Execution current = fixture.claimOne(LEASE);

      assertThat(
              fixture.store.giveBack(
                  List.of(
                      new GiveBack(current, ExecutionStatus.RELEASED, Duration.ZERO),
                      new GiveBack(stale, ExecutionStatus.SNOOZED, Duration.ofHours(1)))))
          .containsExactly(
              new Ended(Verdict.DONE, JobStatus.PENDING), new Ended(Verdict.LOST, null));
      assertThat(
              fixture.value(
                  "SELECT forgiven || ' ' || (scheduled_at <= clock_timestamp()) FROM @jobs"))
          .isEqualTo("1 true");
    }

    @Test
    void usesNoAttempt() {
      fixture.enqueue(1);
      for (ExecutionStatus as : List.of(ExecutionStatus.RELEASED, ExecutionStatus.SNOOZED)) {
        assertThat(
                fixture.store.giveBack(
                    List.of(new GiveBack(fixture.claimOne(LEASE), as, Duration.ZERO))))
            .containsExactly(new Ended(Verdict.DONE, JobStatus.PENDING));
      }
      assertThat(fixture.claim(1)).extracting(ClaimedJob::attempt).containsExactly(1);
      assertThat(fixture.value("SELECT attempts || ' ' || forgiven FROM @jobs")).isEqualTo("3 2");
      assertThat(
              fixture.value("SELECT string_agg(status, ' ' ORDER BY attempt) FROM @job_executions"))
          .isEqualTo("released snoozed running");
    }
  }

  @Nested
  class Heartbeat {

    @Test
    void extendsTheLeaseOfTheOwnerOnly() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(EXPIRED);
      Execution stranger =
          new Execution(execution.jobId(), new ExecutionId(execution.id().value() + 1));

      assertThat(fixture.store.heartbeat(List.of(execution), LEASE))
          .containsExactly(new Renewal(Verdict.DONE, false));
      assertThat(fixture.store.heartbeat(List.of(stranger), LEASE))
          .containsExactly(new Renewal(Verdict.LOST, false));
      assertThat(fixture.store.rescue(Duration.ZERO, 10)).isEmpty();
    }
  }
}
