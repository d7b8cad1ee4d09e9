package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.LANE;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Claims return due jobs in the order of the requested lanes, and never a job that another claim
 * has taken.
 */
abstract class ClaimPromises extends Promises {

  @Test
  void claimReturnsTheJobAndInsertsItsAuditRow() throws SQLException {
    JobId id =
        fixture.ports.enqueuer().enqueue(WORK.payloadVersion(4), 7, job -> job.maxAttempts(2));
    WorkerId worker = WorkerId.boot("walter");
    Instant before = fixture.now();

    ClaimedJob claimed =
        store.claim(new ClaimRequest(worker, List.of(share(LANE, 5)), kinds(), 5, LEASE)).get(0);

    Instant after = fixture.now();
    assertThat(claimed.execution().jobId()).isEqualTo(id);
    assertThat(claimed.queue()).isEqualTo("default");
    assertThat(claimed.kind()).isEqualTo("work");
    assertThat(claimed.payload()).isEqualTo("7");
    assertThat(claimed.payloadVersion()).isEqualTo(4);
    assertThat(claimed.priority()).isZero();
    assertThat(claimed.attempt()).isEqualTo(1);
    assertThat(claimed.maxAttempts()).isEqualTo(2);
    assertThat(claimed.scheduledAt()).isBeforeOrEqualTo(claimed.startedAt());
    assertThat(claimed.startedAt()).isBetween(before, after);
    JobDetails job = fixture.find(id);
    assertThat(job.summary().status()).isEqualTo(JobStatus.RUNNING);
    assertThat(job.summary().attempts()).isEqualTo(1);
    assertThat(job.summary().worker()).contains("walter");
    assertThat(job.currentExecution()).isEqualTo(claimed.execution().id());
    assertThat(job.leaseExpiresAt()).isBetween(before.plus(LEASE), after.plus(LEASE));
    JobExecution attempt = job.executions().get(0);
    assertThat(attempt.id()).isEqualTo(claimed.execution().id());
    assertThat(attempt.attempt()).isEqualTo(1);
    assertThat(attempt.status()).isEqualTo(ExecutionStatus.RUNNING);
    assertThat(attempt.startedAt()).isEqualTo(claimed.startedAt());
    assertThat(attempt.worker()).isEqualTo(job.summary().worker());
    assertThat(attempt.finishedAt()).isNull();
  }

  @Test
  void canOmitThePayload() {
    List<JobId> ids = fixture.enqueueMany(2);

    ClaimedJob without = store.claimWithoutPayload(StoreFixture.request(1, LEASE, LANE)).get(0);
    ClaimedJob with = fixture.claim(1).get(0);

    assertThat(without.payload()).isEmpty();
    assertThat(with.payload()).isNotEmpty();
    assertThat(List.of(without.execution().jobId(), with.execution().jobId())).isEqualTo(ids);
  }

  @Test
  void aClaimOfFewJobsReturnsAndHoldsWhatAClaimWould() throws SQLException {
    List<JobId> ids = fixture.enqueueMany(3);
    JobId first = fixture.enqueue(4, job -> job.priority(5));
    fixture.ports.enqueuer().enqueue(JobType.of("foreign", Integer.class), 1);

    List<ClaimedJob> few = store.claimFew(StoreFixture.request(3, LEASE, lane(5), LANE));

    assertThat(few)
        .extracting(job -> job.execution().jobId())
        .containsExactly(first, ids.get(0), ids.get(1));
    assertThat(few).extracting(ClaimedJob::payload).doesNotContain("");
    for (ClaimedJob job : few) {
      JobDetails details = fixture.find(job.execution().jobId());
      assertThat(details.currentExecution()).isEqualTo(job.execution().id());
      assertThat(details.executions()).hasSize(1);
      assertThat(details.leaseExpiresAt()).isBetween(fixture.now(), fixture.now().plus(LEASE));
    }
    assertThat(fixture.claim(5))
        .extracting(job -> job.execution().jobId())
        .containsExactly(ids.get(2));
    assertThat(store.claimFew(StoreFixture.request(3, LEASE, LANE))).isEmpty();
  }

  @Test
  void aClaimOfFewJobsSkipsLockedJobs() throws Exception {
    List<JobId> ids = fixture.enqueueMany(2);
    try (Connection rival = fixture.hold(ids.get(0))) {
      assertThat(rival).isNotNull();
      assertThat(fixture.withoutWaiting(() -> store.claimFew(StoreFixture.request(2, LEASE, LANE))))
          .extracting(job -> job.execution().jobId())
          .containsExactly(ids.get(1));
    }
  }

  /** Otherwise, jobs of claims whose responses are lost would wait until their leases expire. */
  @Test
  void aStoreThatCommitsBeforeTheJobsArriveFindsThoseThatAWorkerHolds() throws SQLException {
    assumeTrue(commitsBeforeTheJobsArrive(), "The store names the jobs of every lost claim.");
    fixture.enqueueMany(6);
    WorkerId worker = WorkerId.boot("walter");
    List<Execution> held = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      held.add(claimOneAs(worker));
    }
    claimOneAs(WorkerId.boot("walter"));
    AttemptWrite.COMPLETE.writeOne(fixture, held.get(1));
    AttemptWrite.RELEASE.writeOne(fixture, held.get(2));

    List<ClaimedJob> found = store.heldBy(worker, new ExecutionId(0), 10);

    assertThat(found).extracting(ClaimedJob::execution).containsExactly(held.get(0), held.get(3));
    assertThat(found).extracting(ClaimedJob::payload).containsOnly("");
    assertThat(found).extracting(ClaimedJob::scheduledAt).doesNotContainNull();
    assertThat(store.heldBy(worker, new ExecutionId(0), 1))
        .extracting(ClaimedJob::execution)
        .containsExactly(held.get(0));
    assertThat(store.heldBy(worker, held.get(0).id(), 10))
        .extracting(ClaimedJob::execution)
        .containsExactly(held.get(3));
    assertThat(store.heldBy(worker, held.get(3).id(), 10)).isEmpty();
  }

  @Test
  void theSearchForHeldJobsNeitherWaitsForALockNorTakesOne() throws Exception {
    JobId id = fixture.enqueue(1);
    WorkerId worker = WorkerId.boot("walter");
    Execution held = claimOneAs(worker);
    try (Connection rival = fixture.hold(id)) {
      assertThat(rival).isNotNull();
      assertThat(fixture.withoutWaiting(() -> store.heldBy(worker, new ExecutionId(0), 10)))
          .extracting(ClaimedJob::execution)
          .isSubsetOf(held);
    }
    AttemptWrite.COMPLETE.writeOne(fixture, held);
    assertThat(store.heldBy(worker, new ExecutionId(0), 10)).isEmpty();
  }

  private boolean commitsBeforeTheJobsArrive() {
    try {
      return store.getClass().getMethod("claimFew", ClaimRequest.class).getDeclaringClass()
          != JobStore.class;
    } catch (NoSuchMethodException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private Execution claimOneAs(WorkerId worker) {
    return store
        .claimFew(new ClaimRequest(worker, List.of(share(LANE, 1)), kinds(), 1, LEASE))
        .get(0)
        .execution();
  }

  @Test
  void everyAttemptGetsANewExecutionId() {
    Set<ExecutionId> ids = new HashSet<>();
    fixture.enqueueMany(3);
    for (int round = 0; round < 3; round++) {
      List<Execution> executions = fixture.claimExecutions(3);
      executions.forEach(execution -> assertThat(ids.add(execution.id())).isTrue());
      fixture.fail(executions, false);
    }
  }

  @Test
  void servesALaneByDueTimeAndThenById() {
    List<JobId> ids = fixture.enqueueMany(4);
    admin.edit(ids.get(1), JobEdit.nothing().delay(Duration.ZERO));
    admin.edit(ids.get(0), JobEdit.nothing().delay(Duration.ZERO));

    assertThat(fixture.claim(4))
        .extracting(job -> job.execution().jobId())
        .containsExactly(ids.get(2), ids.get(3), ids.get(1), ids.get(0));
  }

  @Test
  void takesTheEarliestJobsOfALane() {
    List<JobId> ids = fixture.enqueueMany(3);
    admin.edit(ids.get(0), JobEdit.nothing().delay(Duration.ZERO));

    assertThat(fixture.claim(2))
        .extracting(job -> job.execution().jobId())
        .containsExactly(ids.get(1), ids.get(2));
  }

  @Test
  void servesLanesInTheOrderOfTheRequestAndNotByPriority() {
    JobId low = fixture.enqueue(1, job -> job.priority(-100));
    JobId high = fixture.enqueue(2, job -> job.priority(100));
    JobId other = fixture.enqueue(3, job -> job.onQueue("other"));

    List<ClaimedJob> claimed =
        store.claim(
            StoreFixture.request(
                10, LEASE, new Lane("other", 0), new Lane("default", -100), lane(100)));

    assertThat(claimed)
        .extracting(job -> job.execution().jobId())
        .containsExactly(other, low, high);
    assertThat(claimed)
        .extracting(ClaimedJob::lane)
        .containsExactly(new Lane("other", 0), lane(-100), lane(100));
  }

  @Test
  void claimFillsItsLimitFromTheFirstLanes() {
    fixture.enqueueMany(3);
    fixture.enqueue(9, job -> job.priority(5));

    List<ClaimedJob> claimed = store.claim(StoreFixture.request(2, LEASE, lane(5), LANE));

    assertThat(claimed).extracting(ClaimedJob::priority).containsExactly(5, 0);
  }

  @Test
  void respectsTheCapOfEachLaneAndTheLimit() {
    fixture.enqueueMany(10);
    for (int i = 0; i < 10; i++) {
      fixture.enqueue(i, job -> job.priority(1));
    }

    assertThat(claim(10, share(LANE, 3), share(lane(1), 4)))
        .extracting(ClaimedJob::priority)
        .containsExactly(0, 0, 0, 1, 1, 1, 1);
    assertThat(claim(5, share(LANE, 4), share(lane(1), 4)))
        .extracting(ClaimedJob::priority)
        .containsExactly(0, 0, 0, 0, 1);
  }

  @Test
  void ignoresOtherKindsOtherQueuesAndJobsThatAreNotDue() {
    fixture.ports.enqueuer().enqueue(JobType.of("foreign", Integer.class), 1);
    fixture.enqueue(2, job -> job.onQueue("other"));
    fixture.enqueue(3, job -> job.priority(1));
    fixture.enqueue(4, job -> job.delay(Duration.ofHours(1)));

    assertThat(fixture.claim(10)).isEmpty();
  }

  @Test
  void isEmptyWithoutLanesOrKinds() {
    fixture.enqueue(1);
    WorkerId worker = WorkerId.boot("idle");

    assertThat(store.claim(new ClaimRequest(worker, List.of(), kinds(), 1, LEASE))).isEmpty();
    assertThat(store.claim(new ClaimRequest(worker, List.of(share(LANE, 1)), List.of(), 1, LEASE)))
        .isEmpty();
  }

  @Test
  void readsNothingBelowTheLowWaterMark() throws SQLException {
    fixture.enqueueMany(2);
    Instant mark = fixture.now();
    JobId above = fixture.enqueue(3);

    assertThat(claim(5, new LaneShare(LANE, 5, mark)))
        .extracting(job -> job.execution().jobId())
        .containsExactly(above);
    assertThat(fixture.claim(5)).hasSize(2);
  }

  @Test
  void skipsLockedJobs() throws Exception {
    List<JobId> ids = fixture.enqueueMany(3);
    try (Connection rival = fixture.hold(ids.get(0))) {
      assertThat(rival).isNotNull();
      assertThat(fixture.withoutWaiting(() -> fixture.claim(1)))
          .extracting(job -> job.execution().jobId())
          .containsExactly(ids.get(1));
    }
    assertThat(fixture.claim(5)).hasSize(2);
  }

  @Test
  void countsAttemptsAsTheHandlerSeesThem() throws SQLException {
    fixture.enqueue(1);
    for (AttemptWrite end : List.of(AttemptWrite.SNOOZE, AttemptWrite.FAIL, AttemptWrite.RELEASE)) {
      end.writeOne(fixture, fixture.claimOne(LEASE));
    }

    ClaimedJob job = fixture.claim(1).get(0);

    assertThat(job.attempt()).isEqualTo(2);
    assertThat(fixture.summary(job.execution().jobId()).attempts()).isEqualTo(4);
  }

  @Test
  void concurrentClaimsNeverReturnTheSameJob() throws Exception {
    int jobs = 600;
    fixture.enqueueMany(jobs);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<List<JobId>>> claimers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        claimers.add(threads.submit(this::claimUntilEmpty));
      }
      List<JobId> claimed = new ArrayList<>();
      for (Future<List<JobId>> claimer : claimers) {
        claimed.addAll(claimer.get());
      }
      claimed.addAll(claimUntilEmpty());
      assertThat(claimed).hasSize(jobs).doesNotHaveDuplicates();
    } finally {
      threads.shutdownNow();
    }
  }

  private List<JobId> claimUntilEmpty() {
    List<JobId> ids = new ArrayList<>();
    List<ClaimedJob> claimed;
    do {
      claimed = fixture.claim(7);
      claimed.forEach(job -> ids.add(job.execution().jobId()));
    } while (!claimed.isEmpty());
    return ids;
  }

  @Test
  void dueLanesAreThoseThatHoldADueJob() {
    fixture.enqueueMany(2);
    fixture.enqueue(3, job -> job.priority(7));
    fixture.enqueue(4, job -> job.priority(3).delay(Duration.ofHours(1)));
    fixture.enqueue(5, job -> job.onQueue("second"));
    fixture.enqueue(6, job -> job.onQueue("unserved"));
    fixture.enqueue(7, job -> job.priority(9));
    fixture.fail(
        store.claim(StoreFixture.request(1, LEASE, lane(9))).stream()
            .map(ClaimedJob::execution)
            .toList(),
        true);

    assertThat(fixture.dueLanes("default", "second", "empty"))
        .containsExactlyInAnyOrder(lane(7), LANE, new Lane("second", 0));
    assertThat(fixture.dueLanes()).isEmpty();
  }

  private List<ClaimedJob> claim(int limit, LaneShare... shares) {
    return store.claim(
        new ClaimRequest(WorkerId.boot("contract"), List.of(shares), kinds(), limit, LEASE));
  }

  private static Lane lane(int priority) {
    return new Lane("default", priority);
  }

  private static LaneShare share(Lane lane, int cap) {
    @Nullable Instant none = null;
    return new LaneShare(lane, cap, none);
  }

  private static List<String> kinds() {
    return List.of(WORK.kind());
  }
}
