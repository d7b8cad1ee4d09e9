package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.HandedOver;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests completions that also claim the next job of the same ordering key. */
@QueueTest
class HandOverTest {

  private static final WorkerId WORKER = WorkerId.boot("hands over");
  private static final String KEY = "account";

  private Fixture fixture;
  private DSLContext dialect;
  private Rival one;

  @BeforeEach
  void open(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    dialect = StatementDialect.forSchema(database.schema());
    one = new Rival(database);
  }

  @AfterEach
  void close() throws SQLException {
    one.close();
  }

  @Test
  void completionClaimsTheNextJobLikeAClaim() {
    List<JobId> jobs = enqueue(3);
    Execution head = fixture.claimOne(Fixture.LEASE);

    HandedOver result = handOver(head);

    assertThat(result.verdict()).isEqualTo(Verdict.DONE);
    ClaimedJob next = Objects.requireNonNull(result.next());
    assertThat(next.execution().jobId()).isEqualTo(jobs.get(1));
    assertThat(next.execution().orderingKey()).isEqualTo(KEY);
    assertThat(next.execution().id()).isNotEqualTo(head.id());
    assertThat(next.payload()).isEqualTo("{\"number\": 2}");
    assertThat(next.attempt()).isEqualTo(1);
    assertThat(next.lane()).isEqualTo(new Lane("default", 0));
    assertThat(fixture.owns(next.execution())).isTrue();
    assertThat(
            fixture.value(
                "SELECT status || ' ' || ordering_head || ' ' || attempts || ' ' || locked_by || ' ' || date_trunc('second', lease_expires_at - started_at + interval '0.5 seconds')"
                    + " FROM @jobs WHERE id = "
                    + jobs.get(1)))
        .isEqualTo("running true 1 " + WORKER + " 00:00:30");
    assertThat(
            fixture.value(
                "SELECT status || ' ' || attempt || ' ' || worker_id FROM @job_executions WHERE id = "
                    + next.execution().id()))
        .isEqualTo("running 1 " + WORKER);
    assertThat(status(jobs.get(2))).isEqualTo("waiting");
    assertThat(status(jobs.get(0))).as("archived").isEqualTo("(no row)");
    assertThat(handOver(next.execution()).next())
        .extracting(job -> job.execution().jobId())
        .isEqualTo(jobs.get(2));
  }

  /** Otherwise, two jobs of the key would run at the same time according to the history. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nextJobStartsAfterTheEndOfTheFirstByTheDatabasesClock(boolean archive) {
    if (!archive) {
      fixture.queue.admin().configure("default", QueueSettings.defaults().noArchive());
    }
    enqueue(30);
    Execution current = fixture.claimOne(Fixture.LEASE);
    for (int i = 1; i < 30; i++) {
      current = Objects.requireNonNull(handOver(current).next()).execution();
    }
    assertThat(
            fixture.value(
                "SELECT count(*) FROM @job_executions AS one JOIN @job_executions AS next ON next.job_id = one.job_id + 1"
                    + " WHERE next.started_at < one.finished_at"))
        .isEqualTo("0");
    assertThat(
            fixture.value(
                "SELECT count(*) FROM @jobs_archive AS one JOIN @job_executions AS next ON next.job_id = one.id + 1"
                    + " WHERE next.started_at < one.finished_at"))
        .isEqualTo("0");
    assertThat(fixture.value("SELECT count(*) FROM @jobs_archive")).isEqualTo(archive ? "29" : "0");
  }

  /** Changes to the next job or its queue, after which it must not be handed over. */
  private enum Unfit {
    NOT_DUE("UPDATE @jobs SET scheduled_at = now() + interval '1 hour' WHERE status = 'waiting'"),
    OTHER_QUEUE("UPDATE @jobs SET queue = 'other' WHERE status = 'waiting'"),
    HIGHER_PRIORITY("UPDATE @jobs SET priority = 1 WHERE status = 'waiting'"),
    LOWER_PRIORITY("UPDATE @jobs SET priority = -1 WHERE status = 'waiting'"),
    UNKNOWN_KIND("UPDATE @jobs SET kind = 'unknown' WHERE status = 'waiting'"),
    NO_ATTEMPT_LEFT("UPDATE @jobs SET attempts = 3, max_attempts = 3 WHERE status = 'waiting'"),
    LARGE_PAYLOAD(
        "UPDATE @jobs SET payload = jsonb_build_object('number', 2, 'text', repeat('x', 1000)) WHERE status = 'waiting'"),
    PAUSED_QUEUE("INSERT INTO @job_queues (queue, paused_at) VALUES ('default', now())");

    private final String change;

    Unfit(String change) {
      this.change = change;
    }
  }

  @ParameterizedTest
  @EnumSource
  void jobThatAClaimMustTakeIsPromoted(Unfit unfit) {
    fixture.execute("DELETE FROM @job_queues");
    List<JobId> jobs = enqueue(2);
    Execution head = fixture.claimOne(Fixture.LEASE);
    fixture.execute(unfit.change);

    assertThat(handOver(head)).isEqualTo(new HandedOver(Verdict.DONE, null));

    assertThat(
            fixture.value(
                "SELECT status || ' ' || ordering_head || ' ' || (current_execution_id IS NULL) || ' ' || (started_at IS NULL)"
                    + " FROM @jobs WHERE id = "
                    + jobs.get(1)))
        .isEqualTo("pending true true true");
    fixture.execute("DELETE FROM @job_queues");
  }

  @Test
  void payloadOfTheLargestSizeIsHandedOver() {
    enqueue(2);
    int size = Integer.parseInt(fixture.value("SELECT length(payload::text) FROM @jobs LIMIT 1"));
    Execution head = fixture.claimOne(Fixture.LEASE);
    assertThat(fixture.store.handOver(request(head, size)).next()).isNotNull();
  }

  @Test
  void keyWithoutWaitingJobsIsFree() {
    enqueue(1);
    assertThat(handOver(fixture.claimOne(Fixture.LEASE)))
        .isEqualTo(new HandedOver(Verdict.DONE, null));
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    enqueue(1);
    assertThat(fixture.claim(1)).hasSize(1);
  }

  @Test
  void jobWithoutAKeyIsOnlyCompleted() {
    fixture.enqueue(2);
    Execution execution = fixture.claimOne(Fixture.LEASE);
    assertThat(handOver(execution)).isEqualTo(new HandedOver(Verdict.DONE, null));
    assertThat(fixture.value("SELECT string_agg(status, ' ') FROM @jobs")).isEqualTo("pending");
  }

  @Test
  void staleCompletionHandsOverNoJob() {
    enqueue(2);
    Execution stale = fixture.claimOne(Fixture.EXPIRED);
    fixture.store.rescue(Duration.ZERO, 10);
    Execution owner = fixture.claimOne(Fixture.LEASE);

    assertThat(handOver(stale)).isEqualTo(new HandedOver(Verdict.LOST, null));

    assertThat(fixture.owns(owner)).isTrue();
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'waiting'")).isEqualTo("1");
    assertThat(fixture.value("SELECT count(*) FROM @job_executions WHERE status = 'running'"))
        .isEqualTo("1");
  }

  @Test
  void lockedHeadIsReportedAndNothingIsHandedOver() throws SQLException {
    enqueue(2);
    Execution head = fixture.claimOne(Fixture.LEASE);
    one.begin();
    one.execute(fixture.inSchema("SELECT 1 FROM @jobs WHERE id = " + head.jobId() + " FOR SHARE"));

    assertThat(handOver(head)).isEqualTo(new HandedOver(Verdict.BUSY, null));
    one.rollback();

    assertThat(handOver(head).next()).isNotNull();
  }

  @Test
  void lockedNextJobIsLeftToASweepAndNotOvertaken() throws SQLException {
    List<JobId> jobs = enqueue(3);
    Execution head = fixture.claimOne(Fixture.LEASE);
    one.begin();
    one.execute(
        fixture.inSchema("SELECT 1 FROM @jobs WHERE id = " + jobs.get(1) + " FOR NO KEY UPDATE"));

    assertThat(handOver(head)).isEqualTo(new HandedOver(Verdict.DONE, null));
    one.rollback();

    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'waiting'")).isEqualTo("2");
    fixture.queue.orderedJobs().orElseThrow().sweep();
    assertThat(fixture.claimOne(Fixture.LEASE).jobId()).isEqualTo(jobs.get(1));
  }

  @Test
  void jobThatIsCancelledAfterTheSnapshotIsNotHandedOver() throws Exception {
    List<JobId> jobs = enqueue(3);
    HandedOver result =
        whileStopped(
            () ->
                assertThat(fixture.queue.admin().cancel(List.of(jobs.get(1))))
                    .containsExactly(CancelResult.CANCELLED));

    assertThat(result).isEqualTo(new HandedOver(Verdict.DONE, null));
    fixture.queue.orderedJobs().orElseThrow().sweep();
    assertThat(fixture.claimOne(Fixture.LEASE).jobId()).isEqualTo(jobs.get(2));
  }

  /** The locked version of the row determines whether the job is handed over. */
  @Test
  void jobThatIsEditedAfterTheSnapshotIsJudgedByItsNewVersion() throws Exception {
    List<JobId> jobs = enqueue(2);
    HandedOver result =
        whileStopped(() -> fixture.queue.admin().edit(jobs.get(1), JobEdit.nothing().priority(5)));

    assertThat(result).isEqualTo(new HandedOver(Verdict.DONE, null));
    assertThat(status(jobs.get(1))).isEqualTo("pending");
  }

  @Test
  void jobThatIsEditedAfterTheSnapshotIsReturnedAsEdited() throws Exception {
    List<JobId> jobs = enqueue(2);
    HandedOver result =
        whileStopped(
            () ->
                fixture.execute(
                    "UPDATE @jobs SET payload = '{\"number\": 7}' WHERE id = " + jobs.get(1)));

    assertThat(result.next()).extracting(ClaimedJob::payload).isEqualTo("{\"number\": 7}");
  }

  @Test
  void committedPauseOfTheQueueStopsTheHandOver() {
    List<JobId> jobs = enqueue(2);
    Execution head = fixture.claimOne(Fixture.LEASE);
    fixture.queue.admin().pause("default");

    assertThat(handOver(head).next()).isNull();
    assertThat(fixture.claim(1)).isEmpty();
    fixture.queue.admin().resume("default");
    assertThat(fixture.claimOne(Fixture.LEASE).jobId()).isEqualTo(jobs.get(1));
  }

  @Test
  void jobThatIsCommittedLateWithASmallerIdIsNext() throws SQLException {
    one.begin();
    JobId early =
        one.run(
            connection ->
                fixture
                    .queue
                    .in(connection)
                    .enqueue(Fixture.WORK, new Fixture.Work(9), job -> job.orderingKey(KEY)));
    enqueue(2);
    Execution head = fixture.claimOne(Fixture.LEASE);
    one.commit();

    assertThat(handOver(head).next()).extracting(job -> job.execution().jobId()).isEqualTo(early);
  }

  @Test
  void deadHeadStillBlocksTheKey() {
    enqueue(2);
    Execution head = fixture.claimOne(Fixture.LEASE);
    fixture.execute(
        "UPDATE @jobs SET status = 'dead', died_at = now(), current_execution_id = NULL WHERE id = "
            + head.jobId());

    assertThat(handOver(head)).isEqualTo(new HandedOver(Verdict.LOST, null));
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'waiting'")).isEqualTo("1");
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitFate.class,
      names = {"CUT_BEFORE", "CUT_AFTER"})
  void nextJobIsNamedIfTheResponseToAHandOverIsLost(CommitFate fate) {
    List<JobId> jobs = enqueue(2);
    Execution head = fixture.claimOne(Fixture.LEASE);
    FaultyDataSource faulty = new FaultyDataSource(fixture.database.dataSource());
    JobQueue queue =
        JobQueue.builder(faulty).schema(fixture.database.schema()).wakeUps(false).build();
    faulty.decideCommits(() -> fate);

    List<ClaimedJob> unknown = new ArrayList<>();
    assertThatThrownBy(() -> queue.store().handOver(request(head, 1_000)))
        .isInstanceOfSatisfying(
            UnknownClaimException.class,
            lost -> {
              assertThat(lost.isOutcomeUnknown()).isTrue();
              unknown.addAll(lost.jobs());
            });

    assertThat(unknown).hasSize(1);
    Execution next = unknown.get(0).execution();
    assertThat(next.jobId()).isEqualTo(jobs.get(1));
    boolean committed = fate == CommitFate.CUT_AFTER;
    Rival.soon().until(() -> fixture.owns(next) == committed);
    assertThat(fixture.store.complete(List.of(head)))
        .containsExactly(committed ? Verdict.LOST : Verdict.DONE);
  }

  /**
   * Runs a hand-over of the claimed head, and {@code action} between its snapshot and its locks.
   */
  private HandedOver whileStopped(Runnable action) throws Exception {
    HandOver request = request(fixture.claimOne(Fixture.LEASE), 1_000);
    try (Gate gate = new Gate(fixture)) {
      gate.stops(one);
      gate.shut();
      Future<List<HandedOver>> sent =
          gate.sendTo(
              one,
              connection ->
                  HandOverStatement.of(dialect).ending(request).run(begun(connection), request));
      action.run();
      gate.open();
      // The gate cannot be removed while a transaction is open, not even after a failed assertion.
      List<HandedOver> results = sent.get();
      one.commit();
      return results.get(0);
    }
  }

  private static Connection begun(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    return connection;
  }

  private HandedOver handOver(Execution execution) {
    return fixture.store.handOver(request(execution, 1_000));
  }

  private static HandOver request(Execution execution, int longestPayload) {
    return new HandOver(
        execution,
        new Lane("default", 0),
        WORKER,
        List.of("other", Fixture.WORK.kind()),
        longestPayload,
        Fixture.LEASE);
  }

  private List<JobId> enqueue(int count) {
    return fixture.queue.enqueueAll(
        Fixture.WORK,
        IntStream.rangeClosed(1, count).mapToObj(Fixture.Work::new).toList(),
        job -> job.orderingKey(KEY));
  }

  private String status(JobId job) {
    return fixture.value("SELECT status FROM @jobs WHERE id = " + job);
  }
}
