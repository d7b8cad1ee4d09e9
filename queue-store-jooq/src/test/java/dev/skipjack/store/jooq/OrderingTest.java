package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.operations.SkipResult;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.OrderedJobs.Sweep;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests each transition of a job with an ordering key. */
@QueueTest
class OrderingTest {

  private static final JobError ERROR = JobError.of("no luck");

  private Fixture fixture;
  private OrderedJobs ordered;

  @BeforeEach
  void open(QueueDatabase database) {
    fixture = new Fixture(database);
    ordered = fixture.queue.orderedJobs().orElseThrow();
  }

  @Test
  void onlyTheFirstJobOfAKeyIsClaimed() {
    List<JobId> a = enqueue("a", 3);
    List<JobId> b = enqueue("b", 2);

    assertThat(claimed()).containsExactly(a.get(0), b.get(0));
    assertThat(claimed()).isEmpty();
    assertThat(statuses("a")).isEqualTo("running waiting waiting");
  }

  @Test
  void completionPromotesTheNextJobInTheSameStatement() {
    List<JobId> jobs = enqueue("a", 3);
    for (JobId job : jobs) {
      List<ClaimedJob> claimed = fixture.claim(10);
      assertThat(claimed).extracting(each -> each.execution().jobId()).containsExactly(job);
      assertThat(claimed.get(0).execution().orderingKey()).isEqualTo("a");
      assertThat(fixture.store.complete(executions(claimed))).containsExactly(Verdict.DONE);
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  @Test
  void wakeUpsOfCommittedPromotionsSurviveTheFailureOfALaterBatch() throws SQLException {
    List<String> keys = IntStream.range(0, 250).mapToObj("k%03d"::formatted).toList();
    try (Connection caller = fixture.database.connection()) {
      caller.setAutoCommit(false);
      for (String key : keys) {
        fixture
            .queue
            .in(caller)
            .enqueue(Fixture.WORK, new Fixture.Work(1), job -> job.orderingKey(key));
      }
      caller.commit();
    }
    OrderedJobs failing = failingAfterCommits(1);

    assertThat(failing.promote(keys)).hasSize(200);
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE ordering_head")).isEqualTo("200");
    assertThatThrownBy(() -> failing.promote(keys.subList(200, 250)))
        .isInstanceOf(StoreException.class);
    assertThat(ordered.sweep().promoted()).hasSize(50);
  }

  @Test
  void endWithDataPromotesTheNextJob() {
    List<JobId> jobs = enqueue("a", 3);
    fixture.store.endWithData(
        List.of(FinalOutcome.completed(fixture.claimOne(Fixture.LEASE), "{\"n\":1}")));
    fixture.store.endWithData(
        List.of(FinalOutcome.cancelled(fixture.claimOne(Fixture.LEASE), "no use")));
    assertThat(claimed()).containsExactly(jobs.get(2));
  }

  @Test
  void completionInTheHandlersTransactionPromotesWhenItCommits() throws SQLException {
    List<JobId> jobs = enqueue("a", 3);
    try (Connection handler = fixture.database.connection()) {
      handler.setAutoCommit(false);
      fixture.store.completeIn(handler, fixture.claimOne(Fixture.LEASE));
      assertThat(ordered.sweep().promoted()).isEmpty();
      assertThat(claimed()).isEmpty();
      handler.commit();
      fixture.store.completeIn(handler, fixture.claimOne(Fixture.LEASE), "[1]");
      handler.commit();
    }
    assertThat(claimed()).containsExactly(jobs.get(2));
  }

  @Test
  void rolledBackCompletionPromotesNothing() throws SQLException {
    enqueue("a", 2);
    try (Connection handler = fixture.database.connection()) {
      handler.setAutoCommit(false);
      fixture.store.completeIn(handler, fixture.claimOne(Fixture.LEASE));
      handler.rollback();
    }
    assertThat(statuses("a")).isEqualTo("running waiting");
    assertThat(heads()).isEqualTo("1");
  }

  @Test
  void mixedBatchPromotesForTheOrderedJobsOnly() {
    List<JobId> a = enqueue("a", 2);
    fixture.enqueue(2);
    List<ClaimedJob> claimed = fixture.claim(10);
    assertThat(claimed).hasSize(3);
    assertThat(fixture.store.complete(executions(claimed))).containsOnly(Verdict.DONE);
    assertThat(claimed()).containsExactly(a.get(1));
  }

  @Test
  void retriedJobKeepsItsKey() {
    List<JobId> jobs = enqueue("a", 2);
    fixture.store.fail(
        List.of(new Failure(fixture.claimOne(Fixture.LEASE), ERROR, Duration.ofHours(1), false)));

    assertThat(statuses("a")).isEqualTo("pending waiting");
    assertThat(ordered.sweep().promoted()).isEmpty();
    assertThat(claimed()).isEmpty();

    fixture.execute("UPDATE @jobs SET scheduled_at = now() WHERE status = 'pending'");
    assertThat(claimed()).containsExactly(jobs.get(0));
  }

  @Test
  void snoozedAndReleasedJobsKeepTheirKeys() {
    enqueue("a", 2);
    fixture.store.requeue(
        List.of(
            Requeue.until(
                fixture.claimOne(Fixture.LEASE),
                ExecutionStatus.SNOOZED,
                Instant.now().plus(Duration.ofHours(1)))));
    assertThat(statuses("a")).isEqualTo("pending waiting");
    assertThat(ordered.sweep()).isEqualTo(new Sweep(List.of(), true, false));
    assertThat(heads()).isEqualTo("1");
  }

  @Test
  void rescuedJobKeepsItsKey() {
    List<JobId> jobs = enqueue("a", 2);
    fixture.claimOne(Fixture.EXPIRED);
    assertThat(fixture.store.rescue(Duration.ZERO, 10)).hasSize(1);

    assertThat(statuses("a")).isEqualTo("pending waiting");
    assertThat(claimed()).containsExactly(jobs.get(0));
  }

  @Test
  void deadJobBlocksItsKey() {
    enqueue("a", 2);
    List<JobId> b = enqueue("b", 1);
    fixture.store.fail(
        List.of(new Failure(fixture.claimOne(Fixture.LEASE), ERROR, Duration.ZERO, true)));

    assertThat(statuses("a")).isEqualTo("dead waiting");
    assertThat(ordered.sweep().promoted()).isEmpty();
    assertThat(claimed()).containsExactly(b.get(0));
  }

  @Test
  void endOfTheAttemptOfACancelledHeadPromotesTheNextJob() {
    List<JobId> jobs = enqueue("a", 3);
    Execution first = fixture.claimOne(Fixture.LEASE);
    assertThat(fixture.queue.admin().cancel(List.of(jobs.get(0))))
        .containsExactly(CancelResult.REQUESTED);
    fixture.store.fail(List.of(new Failure(first, ERROR, Duration.ofHours(1), false)));
    assertThat(statuses("a")).isEqualTo("pending waiting");

    Execution second = fixture.claimOne(Fixture.LEASE);
    fixture.queue.admin().cancel(List.of(jobs.get(1)));
    fixture.store.requeue(
        List.of(
            Requeue.until(
                second, ExecutionStatus.SNOOZED, Instant.now().plus(Duration.ofHours(1)))));
    assertThat(claimed()).containsExactly(jobs.get(2));
  }

  @Test
  void keyOfACancelledHeadWithALostAttemptIsFreedByTheNextSweep() {
    List<JobId> jobs = enqueue("a", 2);
    fixture.claimOne(Fixture.EXPIRED);
    fixture.queue.admin().cancel(List.of(jobs.get(0)));
    fixture.store.rescue(Duration.ZERO, 10);

    assertThat(ordered.sweep().promoted())
        .containsExactly(new WakeUp(new Lane("default", 0), "work"));
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void cancelledWaitingJobLeavesTheOrderAsItIs() {
    List<JobId> jobs = enqueue("a", 3);
    assertThat(fixture.queue.admin().cancel(List.of(jobs.get(1))))
        .containsExactly(CancelResult.CANCELLED);
    fixture.store.complete(executions(fixture.claim(1)));
    assertThat(claimed()).containsExactly(jobs.get(2));
  }

  @Test
  void cancelledPendingHeadPassesTheKeyOn() {
    List<JobId> jobs = enqueue("a", 2);
    assertThat(fixture.queue.admin().cancel(List.of(jobs.get(0))))
        .containsExactly(CancelResult.CANCELLED);
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void prunedDeadHeadPassesTheKeyOn() {
    List<JobId> jobs = enqueue("a", 2);
    fixture.store.fail(
        List.of(new Failure(fixture.claimOne(Fixture.LEASE), ERROR, Duration.ZERO, true)));
    fixture.queue.admin().prune(List.of(jobs.get(0)));
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void redrivenHeadThatBlockedItsKeyRunsFirst() {
    List<JobId> jobs = enqueue("a", 2);
    killOne();
    assertThat(fixture.queue.admin().redrive(jobs.subList(0, 1)))
        .containsExactly(new RedriveResult.Redriven());
    assertThat(statuses("a")).isEqualTo("pending waiting");
    assertThat(claimed()).containsExactly(jobs.get(0));
  }

  @Test
  void otherRedrivenJobsGoToTheBackInTheirOrder() {
    List<JobId> jobs = enqueue("a", 4);
    for (int i = 0; i < 2; i++) {
      killOne();
      fixture.execute("UPDATE @jobs SET ordering_head = NULL WHERE status = 'dead'");
      ordered.sweep();
    }
    assertThat(fixture.queue.admin().redrive(List.of(jobs.get(1), jobs.get(0))))
        .containsOnly(new RedriveResult.Redriven());
    assertThat(statuses("a")).isEqualTo("waiting waiting pending waiting");

    for (int next : new int[] {2, 3, 0, 1}) {
      List<ClaimedJob> claimed = fixture.claim(10);
      assertThat(claimed)
          .extracting(each -> each.execution().jobId())
          .containsExactly(jobs.get(next));
      fixture.store.complete(executions(claimed));
    }
  }

  @Test
  void redrivenJobOfAnIdleKeyRuns() {
    List<JobId> jobs = enqueue("a", 1);
    killOne();
    fixture.execute("UPDATE @jobs SET ordering_head = NULL");
    fixture.queue.admin().redrive(jobs);
    assertThat(claimed()).containsExactly(jobs.get(0));
  }

  @Test
  void skipPolicyPassesTheKeyOnWhenTheHeadDies() {
    List<JobId> jobs = enqueue("a", 3, OrderingPolicy.SKIP);
    killOne();
    assertThat(statuses("a")).isEqualTo("dead pending waiting");
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void skipPolicyAppliesToALostHeadAtTheNextSweep() {
    List<JobId> jobs = enqueue("a", 2, OrderingPolicy.SKIP);
    fixture.execute("UPDATE @jobs SET max_attempts = 1");
    fixture.claimOne(Fixture.EXPIRED);
    fixture.store.rescue(Duration.ZERO, 10);
    assertThat(statuses("a")).isEqualTo("dead waiting");

    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void parkPolicyMakesWaitingJobsDeadAndLaterJobsRun() {
    List<JobId> jobs = enqueue("a", 1_200, OrderingPolicy.PARK);
    killOne();
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'dead'")).isEqualTo("1200");
    assertThat(fixture.value("SELECT DISTINCT last_error FROM @jobs WHERE attempts = 0"))
        .isEqualTo("Parked behind job " + jobs.get(0) + ", which died.");
    assertThat(heads()).isEqualTo("0");

    List<JobId> later = enqueue("a", 1, OrderingPolicy.PARK);
    assertThat(claimed()).containsExactly(later.get(0));
  }

  @Test
  void manyJobsAreParkedBySeveralSweeps() {
    int waiting = 5_000;
    enqueue("a", 1 + waiting, OrderingPolicy.PARK);
    killOne();

    String dead = "SELECT count(*) FROM @jobs WHERE status = 'dead'";
    assertThat(fixture.value(dead)).as("dead after one bounded call").isEqualTo("2001");
    assertThat(ordered.sweep().promoted()).isEmpty();
    assertThat(fixture.value(dead)).isEqualTo("4001");
    List<JobId> later = enqueue("a", 1, OrderingPolicy.PARK);
    ordered.sweep();
    assertThat(fixture.value(dead)).isEqualTo("5001");
    assertThat(claimed()).isEqualTo(later);
  }

  @Test
  void parkedJobsAreRedrivenInTheirOrder() {
    List<JobId> jobs = enqueue("a", 3, OrderingPolicy.PARK);
    killOne();
    assertThat(fixture.queue.admin().redriveAll(DeadJobs.all()).redriven()).isEqualTo(3);
    for (JobId next : jobs) {
      List<ClaimedJob> claimed = fixture.claim(10);
      assertThat(claimed).extracting(each -> each.execution().jobId()).containsExactly(next);
      fixture.store.complete(executions(claimed));
    }
  }

  @Test
  void jobThatIsLockedIsParkedByALaterSweepBeforeTheKeyIsFree() throws SQLException {
    List<JobId> jobs = enqueue("a", 3, OrderingPolicy.PARK);
    try (Rival rival = new Rival(fixture.database)) {
      rival.begin();
      rival.execute(
          fixture.inSchema("SELECT 1 FROM @jobs WHERE id = " + jobs.get(1) + " FOR UPDATE"));
      killOne();
      List<JobId> later = enqueue("a", 1, OrderingPolicy.PARK);
      assertThat(statuses("a")).isEqualTo("dead waiting dead waiting");
      assertThat(ordered.sweep().promoted()).isEmpty();
      rival.rollback();

      assertThat(ordered.sweep().promoted()).hasSize(1);
      assertThat(statuses("a")).isEqualTo("dead dead dead pending");
      assertThat(claimed()).isEqualTo(later);
    }
  }

  @Test
  void parkedJobFreesItsUniqueKey() {
    enqueue("a", 2, OrderingPolicy.PARK);
    fixture.execute(
        "UPDATE @jobs SET unique_key = 'u', unique_until = 'dead' WHERE status = 'waiting'");
    killOne();
    assertThat(
            fixture.value(
                "SELECT concat_ws(' ', unique_key, freed_unique_key) FROM @jobs"
                    + " WHERE attempts = 0"))
        .isEqualTo("u");
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE unique_key IS NOT NULL"))
        .isEqualTo("0");
  }

  @Test
  void policyOfTheQueueOverridesThatOfTheTypeAndFreesBlockedKeys() {
    List<JobId> a = enqueue("a", 2);
    killOne();
    assertThat(ordered.sweep().promoted()).isEmpty();

    QueueSettings skip = QueueSettings.defaults().orderingPolicy(OrderingPolicy.SKIP);
    fixture.queue.admin().configure("default", skip);
    assertThat(fixture.queue.admin().settings("default")).contains(skip);
    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(claimed()).containsExactly(a.get(1));

    fixture
        .queue
        .admin()
        .configure("default", QueueSettings.defaults().orderingPolicy(OrderingPolicy.BLOCK));
    enqueue("b", 2, OrderingPolicy.SKIP);
    killOne();
    assertThat(statuses("b")).isEqualTo("dead waiting");
  }

  @Test
  void blockedKeysAreListedWithTheirHeadsAndLengths() {
    List<JobId> b = enqueue("b", 3);
    killOne();
    List<JobId> a = enqueue("a", 1);
    killOne();
    enqueue("c", 2);

    List<BlockedKey> blocked = fixture.queue.reader().blockedKeys();
    assertThat(blocked).extracting(BlockedKey::orderingKey).containsExactly("a", "b");
    assertThat(blocked).extracting(BlockedKey::head).containsExactly(a.get(0), b.get(0));
    assertThat(blocked).extracting(BlockedKey::waiting).containsExactly(0, 2);
    assertThat(blocked).extracting(BlockedKey::lastError).containsOnly("no luck");
    assertThat(blocked).extracting(BlockedKey::kind).containsOnly("work");
  }

  @Test
  void unblockSkipsTheDeadHead() {
    List<JobId> jobs = enqueue("a", 2);
    assertThat(fixture.queue.admin().unblock("a")).isFalse();
    killOne();
    assertThat(fixture.queue.admin().unblock("a")).isTrue();
    assertThat(fixture.queue.admin().unblock("a")).isFalse();
    assertThat(statuses("a")).isEqualTo("dead pending");
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  /** An operator who has read one blocking job must not skip a later one. */
  @Test
  void keyIsNotTakenFromAnotherHeadThanTheGivenOne() {
    List<JobId> jobs = enqueue("a", 3);
    killOne();
    assertThat(fixture.queue.admin().unblock("a", jobs.get(0))).isTrue();
    killOne();

    assertThat(fixture.queue.admin().unblock("a", jobs.get(0))).isFalse();
    assertThat(fixture.queue.admin().skipHead("a", jobs.get(0))).isEqualTo(SkipResult.OTHER_HEAD);
    assertThat(fixture.queue.admin().skipHead("b", jobs.get(0))).isEqualTo(SkipResult.NO_HEAD);
    assertThat(statuses("a")).isEqualTo("dead dead waiting");
    assertThat(fixture.queue.admin().skipHead("a", jobs.get(1))).isEqualTo(SkipResult.SKIPPED);
    assertThat(statuses("a")).isEqualTo("dead dead pending");
    assertThat(fixture.queue.admin().skipHead("a", jobs.get(2))).isEqualTo(SkipResult.SKIPPED);
  }

  @Test
  void unblockReportsADeadHeadThatIsLocked() throws SQLException {
    List<JobId> jobs = enqueue("a", 2);
    killOne();
    try (Rival rival = new Rival(fixture.database)) {
      rival.begin();
      rival.execute(
          fixture.inSchema("SELECT 1 FROM @jobs WHERE id = " + jobs.get(0) + " FOR UPDATE"));
      assertThatThrownBy(() -> fixture.queue.admin().unblock("a"))
          .isInstanceOf(QueueException.class)
          .hasMessageContaining("has locked the dead job");
      rival.rollback();
    }
    assertThat(fixture.queue.admin().unblock("a")).isTrue();
  }

  @Test
  void skippedDelayedHeadGoesToTheBackOfItsKey() {
    JobId delayed =
        fixture.queue.enqueue(
            Fixture.WORK,
            new Fixture.Work(1),
            job -> job.orderingKey("a").delay(Duration.ofHours(1)));
    List<JobId> others = enqueue("a", 2);

    assertThat(fixture.queue.admin().skipHead("a")).isEqualTo(SkipResult.SKIPPED);
    assertThat(statuses("a")).isEqualTo("waiting pending waiting");
    for (JobId next : others) {
      List<ClaimedJob> claimed = fixture.claim(10);
      assertThat(claimed).extracting(each -> each.execution().jobId()).containsExactly(next);
      fixture.store.complete(executions(claimed));
    }
    assertThat(statuses("a")).isEqualTo("pending");
    assertThat(
            fixture.value(
                "SELECT scheduled_at > now() + interval '50 min' FROM @jobs WHERE id = " + delayed))
        .isEqualTo("t");
  }

  @Test
  void skippedHeadOfAKeyWithoutOtherJobsRemainsItsHead() {
    enqueue("a", 1);
    assertThat(fixture.queue.admin().skipHead("a")).isEqualTo(SkipResult.SKIPPED);
    assertThat(statuses("a")).isEqualTo("pending");
    assertThat(heads()).isEqualTo("1");
  }

  @Test
  void skippedDeadHeadRemainsDead() {
    List<JobId> jobs = enqueue("a", 2);
    killOne();
    assertThat(fixture.queue.admin().skipHead("a")).isEqualTo(SkipResult.SKIPPED);
    assertThat(statuses("a")).isEqualTo("dead pending");
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void headIsNotSkippedWhileItRunsOrIsLocked() throws SQLException {
    List<JobId> jobs = enqueue("a", 2);
    try (Rival rival = new Rival(fixture.database)) {
      rival.begin();
      rival.execute(
          fixture.inSchema("SELECT 1 FROM @jobs WHERE id = " + jobs.get(0) + " FOR UPDATE"));
      assertThat(fixture.queue.admin().skipHead("a")).isEqualTo(SkipResult.BUSY);
      rival.rollback();
    }
    fixture.claimOne(Fixture.LEASE);
    assertThat(fixture.queue.admin().skipHead("a")).isEqualTo(SkipResult.RUNNING);
    assertThat(fixture.queue.admin().skipHead("other")).isEqualTo(SkipResult.NO_HEAD);
    assertThat(statuses("a")).isEqualTo("running waiting");
  }

  @Test
  void delayedHeadHoldsItsKey() {
    fixture.queue.enqueue(
        Fixture.WORK, new Fixture.Work(1), job -> job.orderingKey("a").delay(Duration.ofHours(1)));
    enqueue("a", 1);

    assertThat(statuses("a")).isEqualTo("pending waiting");
    assertThat(ordered.sweep().promoted()).isEmpty();
    assertThat(claimed()).isEmpty();
  }

  @Test
  void priorityDoesNotChangeTheOrderWithinAKey() {
    List<JobId> first = enqueue("a", 1);
    JobId urgent =
        fixture.queue.enqueue(
            Fixture.WORK, new Fixture.Work(2), job -> job.orderingKey("a").priority(50));
    List<ClaimedJob> claimed =
        fixture.store.claim(
            Fixture.request(10, Fixture.LEASE, new Lane("default", 50), new Lane("default", 0)));
    assertThat(claimed).extracting(each -> each.execution().jobId()).containsExactly(first.get(0));
    fixture.store.complete(executions(claimed));
    assertThat(fixture.store.claim(Fixture.request(10, Fixture.LEASE, new Lane("default", 50))))
        .extracting(each -> each.execution().jobId())
        .containsExactly(urgent);
  }

  @Test
  void editedWaitingJobKeepsItsPlace() {
    List<JobId> jobs = enqueue("a", 3);
    JobEdit edit =
        JobEdit.nothing().payload(new Fixture.Work(9)).priority(50).delay(Duration.ofHours(1));
    assertThat(fixture.queue.admin().edit(jobs.get(1), edit)).isEqualTo(EditResult.EDITED);
    assertThat(statuses("a")).isEqualTo("pending waiting waiting");
    fixture.store.complete(executions(fixture.claim(1)));

    assertThat(statuses("a")).isEqualTo("pending waiting");
    assertThat(claimedOf(50, 0)).isEmpty();
    assertThat(fixture.queue.admin().edit(jobs.get(1), JobEdit.nothing().delay(Duration.ZERO)))
        .isEqualTo(EditResult.EDITED);
    assertThat(claimedOf(50, 0)).containsExactly(jobs.get(1));
    assertThat(fixture.value("SELECT payload ->> 'number' FROM @jobs WHERE id = " + jobs.get(1)))
        .isEqualTo("9");
  }

  @Test
  void delayedHeadThatIsMadeDueRunsAndTheNextOneThatWasDelayedHoldsTheKey() {
    JobId head =
        fixture.queue.enqueue(
            Fixture.WORK,
            new Fixture.Work(1),
            job -> job.orderingKey("a").delay(Duration.ofHours(1)));
    List<JobId> others = enqueue("a", 2);
    fixture.queue.admin().edit(others.get(0), JobEdit.nothing().delay(Duration.ofHours(1)));
    fixture.queue.admin().edit(head, JobEdit.nothing().delay(Duration.ZERO));

    List<ClaimedJob> claimed = fixture.claim(10);
    assertThat(claimed).extracting(each -> each.execution().jobId()).containsExactly(head);
    fixture.store.complete(executions(claimed));
    assertThat(statuses("a")).isEqualTo("pending waiting");
    assertThat(ordered.sweep().promoted()).isEmpty();
    assertThat(claimed()).isEmpty();
  }

  @Test
  void jobThatIsEditedWhileTheHeadEndsIsPromotedByTheNextSweep() throws SQLException {
    List<JobId> jobs = enqueue("a", 3);
    List<ClaimedJob> head = fixture.claim(1);
    try (Rival rival = new Rival(fixture.database)) {
      rival.begin();
      rival.execute(fixture.inSchema("UPDATE @jobs SET priority = 0 WHERE id = " + jobs.get(1)));
      fixture.store.complete(executions(head));
      assertThat(claimed()).isEmpty();
      rival.commit();
    }
    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void repeatedEnqueueWithAnIdempotencyKeyAddsNothingToTheOrderingKey() {
    List<JobId> first = enqueue("a", 1);
    EnqueueResult once = enqueueOnce("request");
    assertThat(enqueueOnce("request")).isEqualTo(new EnqueueResult.AlreadyQueued(once.jobId()));
    EnqueueResult other = enqueueOnce("other request");

    for (JobId next : List.of(first.get(0), once.jobId(), other.jobId())) {
      List<ClaimedJob> claimed = fixture.claim(10);
      assertThat(claimed).extracting(each -> each.execution().jobId()).containsExactly(next);
      fixture.store.complete(executions(claimed));
    }
    assertThat(enqueueOnce("request")).isEqualTo(new EnqueueResult.AlreadyQueued(once.jobId()));
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  private EnqueueResult enqueueOnce(String request) {
    return fixture.queue.enqueueOnce(
        Fixture.WORK, new Fixture.Work(1), job -> job.orderingKey("a").idempotencyKey(request));
  }

  @Test
  void keyOrdersJobsOfSeveralQueuesAndKinds() {
    JobType<Fixture.Work> other = JobType.of("other", Fixture.Work.class).onQueue("elsewhere");
    fixture.queue.enqueue(other, new Fixture.Work(1), job -> job.orderingKey("a"));
    enqueue("a", 1);
    assertThat(claimed()).isEmpty();
  }

  @Test
  void typesKeyComesFromThePayload() {
    JobType<Fixture.Work> type =
        Fixture.WORK.orderedBy(work -> work.number() == 0 ? null : "n-" + work.number());
    fixture.queue.enqueueAll(
        type, List.of(new Fixture.Work(1), new Fixture.Work(1), new Fixture.Work(0)));
    fixture.queue.enqueue(type, new Fixture.Work(1), job -> job.orderingKey("own"));

    assertThat(
            fixture.value(
                "SELECT string_agg(coalesce(ordering_key, '-') || ' ' || status, ', ' ORDER BY id)"
                    + " FROM @jobs"))
        .isEqualTo("n-1 pending, n-1 waiting, - pending, own pending");
  }

  @Test
  void jobOfACallersTransactionIsPromotedByItsWakeUpOrASweep() throws SQLException {
    try (Connection caller = fixture.database.connection()) {
      caller.setAutoCommit(false);
      fixture
          .queue
          .in(caller)
          .enqueueAll(Fixture.WORK, works(2), job -> job.orderingKey("in a transaction"));
      fixture
          .queue
          .in(caller)
          .enqueue(Fixture.WORK, new Fixture.Work(3), job -> job.orderingKey("alone"));
      assertThat(ordered.sweep()).isEqualTo(new Sweep(List.of(), false, false));
      caller.commit();
    }
    assertThat(claimed()).isEmpty();

    WakeUp promoted = new WakeUp(new Lane("default", 0), "work");
    assertThat(ordered.promote(List.of("in a transaction", "in a transaction", "unknown")))
        .containsExactly(promoted);
    assertThat(ordered.sweep()).isEqualTo(new Sweep(List.of(promoted), true, false));
    assertThat(ordered.sweep()).isEqualTo(new Sweep(List.of(), true, false));
    assertThat(statuses("in a transaction")).isEqualTo("pending waiting");
    assertThat(statuses("alone")).isEqualTo("pending");
  }

  @Test
  void sweepsContinueWhereTheLastOneStopped() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key)"
            + " SELECT 'work', '{}', 'waiting', 'k' || n / 2 FROM generate_series(0, 2499) AS n");

    Sweep first = ordered.sweep();
    assertThat(first.unfinished()).isTrue();
    assertThat(first.promoted()).hasSize(1_000);
    Sweep second = ordered.sweep();
    assertThat(second.unfinished()).isFalse();
    assertThat(second.promoted()).hasSize(250);
    assertThat(heads()).isEqualTo("1250");
  }

  @Test
  void jobsWithoutAKeyNeverUseTheColumns() {
    fixture.enqueue(3);
    List<ClaimedJob> claimed = fixture.claim(2);
    fixture.store.fail(
        List.of(new Failure(claimed.get(0).execution(), ERROR, Duration.ZERO, false)));
    assertThat(claimed.get(0).execution().isOrdered()).isFalse();
    assertThat(
            fixture.value(
                "SELECT count(*) FROM @jobs WHERE num_nonnulls(ordering_key, ordering_head,"
                    + " ordering_position, ordering_policy) > 0"))
        .isEqualTo("0");
    assertThat(ordered.sweep()).isEqualTo(new Sweep(List.of(), false, false));
  }

  private List<JobId> enqueue(String key, int count) {
    return fixture.queue.enqueueAll(Fixture.WORK, works(count), job -> job.orderingKey(key));
  }

  private List<JobId> enqueue(String key, int count, OrderingPolicy policy) {
    return fixture.queue.enqueueAll(
        Fixture.WORK.orderingPolicy(policy), works(count), job -> job.orderingKey(key));
  }

  private static List<Fixture.Work> works(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(Fixture.Work::new).toList();
  }

  private void killOne() {
    fixture.store.fail(
        List.of(new Failure(fixture.claimOne(Fixture.LEASE), ERROR, Duration.ZERO, true)));
  }

  private List<JobId> claimed() {
    return fixture.claim(100).stream().map(each -> each.execution().jobId()).toList();
  }

  /** Claims from the lanes of these priorities. */
  private List<JobId> claimedOf(int... priorities) {
    Lane[] lanes =
        IntStream.of(priorities).mapToObj(each -> new Lane("default", each)).toArray(Lane[]::new);
    return fixture.store.claim(Fixture.request(10, Fixture.LEASE, lanes)).stream()
        .map(each -> each.execution().jobId())
        .toList();
  }

  private static List<Execution> executions(List<ClaimedJob> jobs) {
    return jobs.stream().map(ClaimedJob::execution).toList();
  }

  /** Returns the statuses of a key's jobs in id order. */
  private String statuses(String key) {
    return fixture.value(
        "SELECT string_agg(status, ' ' ORDER BY id) FROM @jobs WHERE ordering_key = '" + key + "'");
  }

  private String heads() {
    return fixture.value("SELECT count(*) FROM @jobs WHERE ordering_head");
  }

  /** Returns ordered jobs on a data source whose connections break after the given commits. */
  private OrderedJobs failingAfterCommits(int commits) {
    FaultyDataSource faulty = new FaultyDataSource(fixture.database.dataSource());
    AtomicInteger left = new AtomicInteger(commits);
    faulty.decideCommits(
        () -> left.getAndDecrement() > 0 ? CommitFate.ACKNOWLEDGED : CommitFate.CUT_BEFORE);
    return JobQueue.builder(faulty)
        .schema(fixture.database.schema())
        .build()
        .orderedJobs()
        .orElseThrow();
  }
}
