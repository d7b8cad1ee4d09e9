package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests claims that stop after taking a snapshot in which three jobs are due. Another transaction
 * changes the first job and commits, and the claim continues. PostgreSQL then locks the newest
 * version of the row and evaluates the conditions again (READ COMMITTED). The claim must take or
 * skip that version, and return as many jobs as it requested.
 */
@QueueTest
class ClaimReevaluationTest {

  private Fixture fixture;
  private Statement<ClaimRequest, ClaimedJob> claim;
  private Gate gate;
  private Rival claimer;

  @BeforeEach
  void setUp(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    claim = ClaimStatement.of(StatementDialect.forSchema(database.schema()));
    gate = new Gate(fixture);
    claimer = new Rival(database);
    gate.stops(claimer);
    fixture.enqueue(3);
  }

  @AfterEach
  void tearDown() throws SQLException {
    gate.open();
    claimer.close();
    gate.close();
  }

  /** Without the gate, the tests below would test a claim that begins after the change. */
  @Test
  void gateStopsTheClaimAfterItsSnapshotAndBeforeItsLocks() throws Exception {
    Future<List<ClaimedJob>> claim = stopBeforeLocks(10);
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, scheduled_at) VALUES ('work', '{\"number\": 4}', now() -"
            + " interval '1 hour')");

    assertThat(fixture.value("SELECT count(*) FROM (SELECT FROM @jobs FOR UPDATE NOWAIT) AS free"))
        .isEqualTo("4");
    assertThat(numbers(release(claim))).containsExactlyInAnyOrder(1, 2, 3);
  }

  /** The edit must not be lost. */
  @Test
  void claimTakesAnEditedJobWithItsNewPayload() throws Exception {
    Future<List<ClaimedJob>> claim = stopBeforeLocks(2);
    fixture.execute("UPDATE @jobs SET payload = '{\"number\": 11}' WHERE id = " + firstJob());

    assertThat(numbers(release(claim))).containsExactlyInAnyOrder(11, 2);
    assertAudited();
  }

  /** The job now belongs to another lane, and a claim serves its lanes in order. */
  @Test
  void claimSkipsAJobThatMovedToAnotherPriority() throws Exception {
    Future<List<ClaimedJob>> claim = stopBeforeLocks(2);
    fixture.queue.admin().edit(firstJob(), JobEdit.nothing().priority(7));

    assertThat(numbers(release(claim))).containsExactlyInAnyOrder(2, 3);
    assertThat(fixture.value("SELECT priority || status FROM @jobs WHERE status = 'pending'"))
        .isEqualTo("7pending");
    assertAudited();
  }

  /** Two workers must never run the same job. */
  @Test
  void claimSkipsAJobThatAnotherWorkerClaimed() throws Exception {
    Future<List<ClaimedJob>> claim = stopBeforeLocks(2);
    Execution rival = fixture.claimOne(LEASE);

    assertThat(numbers(release(claim))).containsExactlyInAnyOrder(2, 3);
    assertThat(fixture.owns(rival)).isTrue();
    assertAudited();
  }

  /**
   * The newest version of the row is locked before its status is read. The other worker's
   * completion is therefore busy until the claim commits, and must be repeated (docs/adr/0053).
   */
  @Test
  void jobThatAnotherWorkerClaimedStaysLockedUntilTheTransactionCommits() throws Exception {
    claimer.begin();
    Future<List<ClaimedJob>> claim = stopBeforeLocks(2);
    Execution rival = fixture.claimOne(LEASE);

    assertThat(numbers(release(claim))).containsExactlyInAnyOrder(2, 3);
    assertThat(fixture.store.complete(List.of(rival))).containsExactly(Verdict.BUSY);

    claimer.commit();
    assertThat(fixture.store.complete(List.of(rival))).containsExactly(Verdict.DONE);
  }

  /**
   * The job is pending again, but became due after this claim began, so the next claim takes it.
   */
  @Test
  void claimSkipsAJobThatAnotherWorkerClaimedAndReleased() throws Exception {
    Future<List<ClaimedJob>> claim = stopBeforeLocks(2);
    Execution rival = fixture.claimOne(LEASE);
    fixture.store.requeue(List.of(new Requeue(rival, ExecutionStatus.RELEASED, Duration.ZERO)));

    assertThat(numbers(release(claim))).containsExactlyInAnyOrder(2, 3);
    assertThat(numbers(fixture.claim(1))).containsExactly(1);
    assertAudited();
  }

  /** No worker may run it before its due time. */
  @Test
  void claimSkipsAJobThatWasPostponed() throws Exception {
    Future<List<ClaimedJob>> claim = stopBeforeLocks(2);
    fixture.queue.admin().edit(firstJob(), JobEdit.nothing().delay(Duration.ofHours(1)));

    assertThat(numbers(release(claim))).containsExactlyInAnyOrder(2, 3);
    assertThat(fixture.claim(1)).isEmpty();
    assertAudited();
  }

  private Future<List<ClaimedJob>> stopBeforeLocks(int limit) throws SQLException {
    ClaimRequest request = Fixture.request(limit, LEASE, new Lane("default", 0));
    gate.shut();
    return gate.sendTo(claimer, connection -> claim.run(connection, request));
  }

  private List<ClaimedJob> release(Future<List<ClaimedJob>> claim) throws Exception {
    gate.open();
    return claim.get();
  }

  private JobId firstJob() {
    return new JobId(Long.parseLong(fixture.value("SELECT min(id) FROM @jobs")));
  }

  private static List<Integer> numbers(List<ClaimedJob> jobs) {
    return jobs.stream().map(job -> Integer.parseInt(job.payload().replaceAll("\\D", ""))).toList();
  }

  /** Asserts that each attempt has an audit row, and that each running job has an open one. */
  private void assertAudited() {
    assertThat(
            fixture.value(
                "SELECT bool_and(attempts = (SELECT count(*) FROM @job_executions WHERE job_id ="
                    + " jobs.id) AND (status = 'running') = EXISTS (SELECT FROM @job_executions"
                    + " WHERE id = current_execution_id AND status = 'running')) FROM @jobs"))
        .isEqualTo("t");
  }
}
