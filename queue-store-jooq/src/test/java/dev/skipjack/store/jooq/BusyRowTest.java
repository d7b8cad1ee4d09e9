package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Tests batches in which one row is locked: by a transaction that stays open after {@code
 * completeIn} for longer than a lease, or by one that has inserted a row that refers to the job.
 * All other sessions wait for at most a tenth of a second, so that any wait becomes an error.
 */
@QueueTest
class BusyRowTest {

  private static final int JOBS = 100;
  private static final int HELD = 37;
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final String TWO_LEASES = "interval '2 seconds'";

  private Fixture fixture;

  @BeforeEach
  void makeSessionsImpatient(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = ''100ms''',"
            + " current_database()); END $$");
  }

  @AfterEach
  void makeSessionsPatient() {
    fixture.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET lock_timeout', current_database());"
            + " END $$");
  }

  @Test
  void lockedRowPreventsNeitherRenewalNorCompletionOfOtherJobs() throws Exception {
    fixture.enqueue(JOBS);
    List<Execution> claimed =
        fixture.claim(JOBS, LEASE).stream().map(ClaimedJob::execution).toList();
    Execution held = claimed.get(HELD);
    try (HikariDataSource pool = fixture.database.newDataSource(2);
        Connection handler = fixture.database.connection()) {
      JobStore store = JobQueue.builder(pool).schema(fixture.database.schema()).build().store();
      handler.setAutoCommit(false);
      store.completeIn(handler, held);
      String enough = fixture.value("SELECT clock_timestamp() + " + TWO_LEASES);

      Awaitility.await()
          .pollDelay(Duration.ZERO)
          .pollInterval(LEASE.dividedBy(20))
          .until(
              () -> {
                assertThat(store.heartbeat(claimed, LEASE))
                    .extracting(Renewal::verdict)
                    .isEqualTo(allDoneBut(HELD));
                assertThat(store.rescue(Duration.ZERO, JOBS)).isEmpty();
                return fixture.value("SELECT clock_timestamp() > '" + enough + "'").equals("t");
              });
      assertThat(
              fixture.value(
                  "SELECT string_agg(id::text, ' ') FROM @jobs WHERE lease_expires_at <"
                      + " clock_timestamp() - interval '500 ms'"))
          .isEqualTo(held.jobId().toString());
      assertThat(store.complete(claimed)).isEqualTo(allDoneBut(HELD));
      assertThat(fixture.value("SELECT count(*) FROM @jobs_archive"))
          .isEqualTo(String.valueOf(JOBS - 1));
      handler.commit();
    }
    assertThat(
            fixture.value(
                "SELECT count(*) || ' ' || bool_and(status = 'succeeded' AND attempt = 1) FROM"
                    + " @job_executions"))
        .isEqualTo(JOBS + " true");
    assertThat(fixture.value("SELECT count(*) || ' ' || min(status) FROM @jobs_archive"))
        .isEqualTo(JOBS + " completed");
  }

  /**
   * A key share lock permits an update but not a delete. A statement that locked its rows only for
   * an update would therefore wait at its delete, with the whole batch locked.
   */
  @Nested
  class ForeignKeyOfAnOpenTransaction {

    private static final int FEW = 5;
    private static final int MIDDLE = 2;

    private List<Execution> claimed;
    private Connection referrer;

    @BeforeEach
    void claimJobs() throws SQLException {
      referrer = fixture.database.connection();
      fixture.enqueue(FEW);
      claimed = fixture.claim(FEW).stream().map(ClaimedJob::execution).toList();
    }

    @AfterEach
    void endTheTransaction() throws SQLException {
      referrer.close();
      fixture.execute("DROP TABLE @referrer");
    }

    /** Inserts a row that refers to the job in the middle, and leaves the transaction open. */
    private void refer() throws SQLException {
      fixture.execute("CREATE TABLE @referrer (job_id bigint NOT NULL REFERENCES @jobs (id))");
      referrer.setAutoCommit(false);
      try (Statement statement = referrer.createStatement()) {
        statement.execute(
            fixture.inSchema("INSERT INTO @referrer VALUES (" + ids().get(MIDDLE) + ")"));
      }
    }

    private List<JobId> ids() {
      return claimed.stream().map(Execution::jobId).toList();
    }

    private <T> List<T> allBut(T usual, T held) {
      List<T> answers = new ArrayList<>(Collections.nCopies(FEW, usual));
      answers.set(MIDDLE, held);
      return answers;
    }

    @Test
    void completionsDoNotWait() throws SQLException {
      refer();
      assertThat(fixture.store.complete(claimed)).isEqualTo(allBut(Verdict.DONE, Verdict.BUSY));
    }

    @Test
    void endingWithDataDoesNotWait() throws SQLException {
      refer();
      assertThat(
              fixture.store.endWithData(
                  claimed.stream().map(e -> FinalOutcome.completed(e, "1")).toList()))
          .isEqualTo(allBut(Verdict.DONE, Verdict.BUSY));
    }

    @Test
    void failuresDoNotWait() throws SQLException {
      fixture.queue.admin().cancel(ids());
      refer();
      assertThat(
              fixture.store.fail(
                  claimed.stream()
                      .map(e -> new Failure(e, JobError.of("no luck"), Duration.ZERO, false))
                      .toList()))
          .extracting(Ended::verdict)
          .isEqualTo(allBut(Verdict.DONE, Verdict.BUSY));
    }

    @Test
    void releasesDoNotWait() throws SQLException {
      fixture.queue.admin().cancel(ids());
      refer();
      assertThat(
              fixture.store.requeue(
                  claimed.stream()
                      .map(e -> new Requeue(e, ExecutionStatus.RELEASED, Duration.ZERO))
                      .toList()))
          .extracting(Ended::verdict)
          .isEqualTo(allBut(Verdict.DONE, Verdict.BUSY));
    }

    @Test
    void rescuesDoNotWait() throws SQLException {
      fixture.queue.admin().cancel(ids());
      fixture.store.heartbeat(claimed, Fixture.EXPIRED);
      refer();
      assertThat(fixture.store.rescue(Duration.ZERO, FEW))
          .extracting(rescued -> rescued.execution().jobId())
          .hasSize(FEW - 1)
          .doesNotContain(ids().get(MIDDLE));
    }

    @Test
    void cancelsDoNotWait() throws SQLException {
      fixture.store.requeue(
          claimed.stream()
              .map(e -> new Requeue(e, ExecutionStatus.RELEASED, Duration.ZERO))
              .toList());
      refer();
      assertThat(fixture.queue.admin().cancel(ids()))
          .isEqualTo(allBut(CancelResult.CANCELLED, CancelResult.BUSY));
    }

    /** Only the delete of a cancelled job needs a lock that conflicts with the foreign key. */
    @Test
    void aJobThatWasNotCancelledIsStillRescued() throws SQLException {
      fixture.queue.admin().cancel(ids().subList(0, 1));
      fixture.store.heartbeat(claimed, Fixture.EXPIRED);
      refer();
      assertThat(fixture.store.rescue(Duration.ZERO, FEW))
          .extracting(Rescued::status)
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(
                      Stream.of(JobStatus.CANCELLED),
                      Collections.nCopies(FEW - 1, JobStatus.PENDING).stream())
                  .toList());
    }

    @Test
    void runningJobIsStillMarkedAsCancelled() throws SQLException {
      refer();
      assertThat(fixture.queue.admin().cancel(ids())).containsOnly(CancelResult.REQUESTED);
    }

    @Test
    void deadJobIsStillReportedAsDead() throws SQLException {
      die();
      refer();
      assertThat(fixture.queue.admin().cancel(ids())).containsOnly(CancelResult.DEAD);
    }

    @Test
    void prunesDoNotWait() throws SQLException {
      die();
      refer();
      assertThat(fixture.queue.admin().prune(ids()))
          .isEqualTo(allBut(PruneResult.PRUNED, PruneResult.BUSY));
    }

    @Test
    void statementsThatOnlyUpdateStillSucceed() throws SQLException {
      refer();
      assertThat(fixture.store.heartbeat(claimed, LEASE))
          .extracting(Renewal::verdict)
          .containsOnly(Verdict.DONE);
      assertThat(
              fixture.store.progress(claimed.stream().map(e -> new Progress(e, 50, null)).toList()))
          .containsOnly(Verdict.DONE);
    }

    @Test
    void deadJobIsStillRedrivenEditedAndClaimed() throws SQLException {
      die();
      refer();
      assertThat(fixture.queue.admin().redrive(ids())).containsOnly(new RedriveResult.Redriven());
      assertThat(
              fixture.queue.admin().edit(ids().get(MIDDLE), JobEdit.nothing().delay(Duration.ZERO)))
          .isEqualTo(EditResult.EDITED);
      assertThat(fixture.claim(FEW)).hasSize(FEW);
    }

    private void die() {
      fixture.store.fail(
          claimed.stream()
              .map(e -> new Failure(e, JobError.of("no luck"), Duration.ZERO, true))
              .toList());
    }
  }

  private static List<Verdict> allDoneBut(int busy) {
    List<Verdict> verdicts = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      verdicts.add(i == busy ? Verdict.BUSY : Verdict.DONE);
    }
    return verdicts;
  }
}
