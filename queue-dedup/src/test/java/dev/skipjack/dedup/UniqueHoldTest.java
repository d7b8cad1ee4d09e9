package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests how long a key is held and what releases it. */
@QueueTest
class UniqueHoldTest {

  private static final Unique<Sync> UNTIL_STARTED = BY_ACCOUNT.untilStarted();
  private static final Unique<Sync> PER_HOUR = BY_ACCOUNT.perPeriod(Duration.ofHours(1));

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  private EnqueueResult enqueue(Unique<Sync> unique) {
    return fixture.unique.enqueue(SYNC, sync("a"), unique);
  }

  private static AlreadyQueued already(JobId id, HolderStatus status) {
    return new AlreadyQueued(id, status);
  }

  @Nested
  class WhileLive {

    @Test
    void keyIsHeldWhileTheJobWaitsRunsOrRetriesAndFreedByItsEnd() {
      JobId first = enqueue(BY_ACCOUNT).jobId();
      assertThat(enqueue(BY_ACCOUNT)).isEqualTo(already(first, HolderStatus.PENDING));
      Execution attempt = fixture.claim();
      assertThat(enqueue(BY_ACCOUNT)).isEqualTo(already(first, HolderStatus.RUNNING));
      fixture.fail(attempt, false);
      assertThat(enqueue(BY_ACCOUNT)).isEqualTo(already(first, HolderStatus.RETRYING));
      attempt = fixture.claim();
      fixture.store.complete(List.of(attempt));

      assertThat(enqueue(BY_ACCOUNT)).isInstanceOf(Enqueued.class);
    }

    @Test
    void keyIsStillHeldAfterSnoozeReleaseAndRescue() {
      JobId first = enqueue(BY_ACCOUNT).jobId();
      for (ExecutionStatus back : List.of(ExecutionStatus.SNOOZED, ExecutionStatus.RELEASED)) {
        fixture.store.requeue(List.of(new Requeue(fixture.claim(), back, Duration.ZERO)));
        assertThat(enqueue(BY_ACCOUNT)).isEqualTo(already(first, HolderStatus.PENDING));
      }
      fixture.claim(1, Fixture.EXPIRED);
      fixture.store.rescue(Duration.ZERO, 10);

      assertThat(enqueue(BY_ACCOUNT)).isEqualTo(already(first, HolderStatus.RETRYING));
    }

    @Test
    void keyIsFreedByDeathAndTakenAgainByARedriveUnlessAnotherJobHoldsIt() {
      JobId dead = enqueue(BY_ACCOUNT).jobId();
      fixture.fail(fixture.claim(), true);
      JobId holder = enqueue(BY_ACCOUNT).jobId();

      assertThat(fixture.queue.admin().redrive(List.of(dead)))
          .containsExactly(new RedriveResult.Conflict(holder));
      fixture.store.complete(List.of(fixture.claim()));
      assertThat(fixture.queue.admin().redrive(List.of(dead)))
          .containsExactly(new RedriveResult.Redriven());
      assertThat(enqueue(BY_ACCOUNT)).isEqualTo(already(dead, HolderStatus.PENDING));
    }
  }

  @Nested
  class WhileLiveOrDead {

    private final Unique<Sync> keptByDead = BY_ACCOUNT.whileLiveOrDead();

    @Test
    void aDeadJobKeepsItsKeyUntilItIsPruned() {
      JobId first = enqueue(keptByDead).jobId();
      fixture.fail(fixture.claim(), true);
      assertThat(enqueue(keptByDead)).isEqualTo(already(first, HolderStatus.DEAD));

      fixture.queue.admin().prune(List.of(first));

      assertThat(enqueue(keptByDead)).isInstanceOf(Enqueued.class);
    }

    @Test
    void aRedriveDoesNotConflict() {
      JobId first = enqueue(keptByDead).jobId();
      fixture.fail(fixture.claim(), true);

      assertThat(fixture.queue.admin().redrive(List.of(first)))
          .containsExactly(new RedriveResult.Redriven());
      assertThat(enqueue(keptByDead)).isEqualTo(already(first, HolderStatus.PENDING));
    }
  }

  @Nested
  class UntilStarted {

    @Test
    void keyIsHeldByAtMostOneJobThatHasNotStarted() {
      JobId first = enqueue(UNTIL_STARTED).jobId();
      assertThat(enqueue(UNTIL_STARTED)).isEqualTo(already(first, HolderStatus.PENDING));
      Execution running = fixture.claim();

      JobId second = enqueue(UNTIL_STARTED).jobId();
      assertThat(second).isNotEqualTo(first);
      assertThat(enqueue(UNTIL_STARTED)).isEqualTo(already(second, HolderStatus.PENDING));

      // The first job does not conflict with the second when it retries or becomes dead.
      fixture.fail(running, false);
      List<Execution> both = fixture.claim(2, Fixture.LEASE);
      assertThat(both).hasSize(2);
      both.forEach(execution -> fixture.fail(execution, true));
      assertThat(fixture.queue.admin().redrive(List.of(first, second)))
          .containsOnly(new RedriveResult.Redriven());
      assertThat(enqueue(UNTIL_STARTED)).isInstanceOf(Enqueued.class);
    }

    /** If the job could start earlier, it might run before its request is committed. */
    @Test
    void aPendingJobReturnedToACallersTransactionDoesNotStartBeforeTheTransactionEnds()
        throws Exception {
      JobId first = enqueue(UNTIL_STARTED).jobId();
      try (Connection one = fixture.database.connection();
          Connection other = fixture.database.connection()) {
        one.setAutoCommit(false);
        other.setAutoCommit(false);
        assertThat(fixture.unique.in(one).enqueue(SYNC, sync("a"), UNTIL_STARTED))
            .isEqualTo(already(first, HolderStatus.PENDING));
        // Neither a second caller's transaction nor one of the queue's own waits for the first one.
        assertThat(fixture.unique.in(other).enqueue(SYNC, sync("a"), UNTIL_STARTED))
            .isEqualTo(already(first, HolderStatus.PENDING));
        assertThat(enqueue(UNTIL_STARTED)).isEqualTo(already(first, HolderStatus.PENDING));

        assertThat(fixture.claim(1, Fixture.LEASE)).isEmpty();
        one.commit();
        assertThat(fixture.claim(1, Fixture.LEASE)).isEmpty();
        other.commit();
        one.setAutoCommit(true);
        other.setAutoCommit(true);
      }
      assertThat(fixture.claim().jobId()).isEqualTo(first);
    }
  }

  /** Tests that overlapping transactions cannot postpone the start of a due job indefinitely. */
  @Nested
  class UntilStartedAndOverdue {

    private JobId first;

    @BeforeEach
    void makeOverdue() {
      first = enqueue(UNTIL_STARTED).jobId();
      makeAllOverdue();
    }

    @Test
    void aJobThatAnotherTransactionHoldsHandsOverToOneNextJob() throws Exception {
      try (Connection one = transaction();
          Connection other = transaction();
          Connection third = transaction()) {
        assertThat(enqueueIn(one)).isEqualTo(already(first, HolderStatus.PENDING));
        EnqueueResult next = enqueueIn(other);
        assertThat(next).isInstanceOf(Enqueued.class);
        assertThat(enqueueIn(other)).isEqualTo(already(next.jobId(), HolderStatus.PENDING));
        other.commit();
        // No later call returns the first job, even if no transaction holds it.
        one.commit();
        assertThat(enqueueIn(third)).isEqualTo(already(next.jobId(), HolderStatus.PENDING));

        assertThat(fixture.claim(2, Fixture.LEASE))
            .extracting(Execution::jobId)
            .containsExactly(first);
        assertThat(fixture.claim(2, Fixture.LEASE)).as("held by the third").isEmpty();
        third.commit();
        assertThat(fixture.claim().jobId()).isEqualTo(next.jobId());
      }
      assertThat(enqueue(UNTIL_STARTED)).isInstanceOf(Enqueued.class);
    }

    @Test
    void aNextJobThatIsOverdueAndHeldHandsOverToo() throws Exception {
      try (Connection one = transaction();
          Connection other = transaction();
          Connection third = transaction()) {
        enqueueIn(one);
        JobId next = enqueueIn(other).jobId();
        other.commit();
        makeAllOverdue();

        assertThat(enqueueIn(other))
            .as("held exclusively")
            .isEqualTo(already(next, HolderStatus.PENDING));
        EnqueueResult last = enqueueIn(third);
        assertThat(last).isInstanceOf(Enqueued.class);
        other.commit();
        third.commit();
        assertThat(enqueueIn(other)).isEqualTo(already(last.jobId(), HolderStatus.PENDING));
        assertThat(fixture.claim(3, Fixture.LEASE))
            .extracting(Execution::jobId)
            .containsExactly(next);
      }
    }

    /** While the first job is held, the key of a next job that has started can be taken again. */
    @Test
    void aNextJobThatHasStartedFreesItsKeyForAnother() throws Exception {
      try (Connection one = transaction();
          Connection other = transaction()) {
        enqueueIn(one);
        JobId next = enqueueIn(other).jobId();
        other.commit();
        assertThat(fixture.claim().jobId()).isEqualTo(next);

        assertThat(enqueueIn(other)).isInstanceOf(Enqueued.class);
        other.commit();
      }
      assertThat(
              fixture.value(
                  "SELECT string_agg(unique_key, ' ' ORDER BY id) FROM @jobs WHERE attempts = 0"))
          .isEqualTo("kind/sync/a next/kind/sync/a");
    }

    @Test
    void theLastNextJobIsSharedHoweverOldItIs() throws Exception {
      List<Connection> transactions = new ArrayList<>();
      try {
        JobId last = null;
        for (int i = 0; i < UniqueKeys.MOST_JOBS; i++) {
          transactions.add(transaction());
          last = enqueueIn(transactions.get(i)).jobId();
          transactions.get(i).commit();
          makeAllOverdue();
          enqueueIn(transactions.get(i));
        }
        for (int i = 0; i < 2; i++) {
          transactions.add(transaction());
          assertThat(enqueueIn(transactions.get(UniqueKeys.MOST_JOBS + i)))
              .isEqualTo(already(Objects.requireNonNull(last), HolderStatus.PENDING));
        }
        assertThat(fixture.value("SELECT count(*) FROM @jobs"))
            .isEqualTo("" + UniqueKeys.MOST_JOBS);
      } finally {
        for (Connection connection : transactions) {
          connection.close();
        }
      }
      assertThat(fixture.unique.find(SYNC, sync("a"), UNTIL_STARTED))
          .contains(new KeyHolder(first, HolderStatus.PENDING));
      assertThat(fixture.unique.cancel(SYNC, sync("a"), UNTIL_STARTED))
          .isEqualTo(CancelResult.CANCELLED);
      assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    }

    /**
     * Waiting could deadlock: the holder may itself wait for a next job that this transaction
     * inserted.
     */
    @Test
    void aCallDoesNotWaitForAnOverdueJobThatAnotherTransactionLocksExclusively() throws Exception {
      fixture.execute("UPDATE @jobs SET scheduled_at = clock_timestamp()");
      try (Connection early = transaction();
          Connection late = transaction()) {
        try (Statement statement = early.createStatement()) {
          statement.execute("SELECT 1");
        }
        fixture.awaitTrue("SELECT clock_timestamp() > scheduled_at + interval '1.2 s' FROM @jobs");
        assertThat(enqueueIn(late)).isEqualTo(already(first, HolderStatus.PENDING));

        assertThat(enqueueIn(early)).isInstanceOf(Enqueued.class);
      }
    }

    @Test
    void aJobThatNoTransactionHoldsIsHeldAndStaysTheOnlyOne() throws Exception {
      try (Connection one = transaction()) {
        assertThat(enqueueIn(one)).isEqualTo(already(first, HolderStatus.PENDING));
        assertThat(enqueueIn(one)).isEqualTo(already(first, HolderStatus.PENDING));
        assertThat(fixture.claim(1, Fixture.LEASE)).isEmpty();
        one.commit();
      }
      assertThat(fixture.claim().jobId()).isEqualTo(first);
    }

    @Test
    void aRolledBackHandoverLeavesTheKeyToTheNextRequest() throws Exception {
      try (Connection one = transaction();
          Connection other = transaction();
          Connection third = transaction()) {
        enqueueIn(one);
        JobId lost = enqueueIn(other).jobId();
        other.rollback();

        EnqueueResult next = enqueueIn(third);

        assertThat(next).isInstanceOf(Enqueued.class);
        assertThat(next.jobId()).isNotEqualTo(lost);
      }
    }

    /** If they stopped sharing it, each would wait for the other. */
    @Test
    void transactionsThatSharedTheJobBeforeItWasOverdueContinueToShareIt() throws Exception {
      fixture.execute("UPDATE @jobs SET scheduled_at = clock_timestamp()");
      try (Connection one = transaction();
          Connection other = transaction()) {
        enqueueIn(one);
        enqueueIn(other);
        fixture.awaitTrue("SELECT clock_timestamp() > scheduled_at + interval '1.2 s' FROM @jobs");

        assertThat(enqueueIn(one)).isEqualTo(already(first, HolderStatus.PENDING));
        assertThat(enqueueIn(other)).isEqualTo(already(first, HolderStatus.PENDING));
      }
    }

    @Test
    void aJobEnqueuedUnderAnotherRuleDoesNotHandOver() throws Exception {
      JobId whileLive = fixture.unique.enqueue(SYNC, sync("b"), BY_ACCOUNT).jobId();
      fixture.execute("UPDATE @jobs SET scheduled_at = clock_timestamp() - interval '2 seconds'");
      try (Connection one = transaction();
          Connection other = transaction()) {
        for (Connection connection : List.of(one, other)) {
          assertThat(fixture.unique.in(connection).enqueue(SYNC, sync("b"), UNTIL_STARTED))
              .isEqualTo(already(whileLive, HolderStatus.PENDING));
        }
      }
    }

    @Test
    void oneCallHandsOverSomeOfItsKeysAndReturnsResultsInOrder() throws Exception {
      JobId free = fixture.unique.enqueue(SYNC, sync("b"), UNTIL_STARTED).jobId();
      try (Connection one = transaction();
          Connection other = transaction()) {
        enqueueIn(one);
        List<EnqueueResult> results =
            fixture
                .unique
                .in(other)
                .enqueueAll(
                    SYNC, List.of(sync("c"), sync("a"), sync("b"), sync("a")), UNTIL_STARTED);

        assertThat(results.get(0)).isInstanceOf(Enqueued.class);
        assertThat(results.get(1)).isInstanceOf(Enqueued.class);
        assertThat(results.get(2)).isEqualTo(already(free, HolderStatus.PENDING));
        assertThat(results.get(3)).isEqualTo(already(results.get(1).jobId(), HolderStatus.PENDING));
      }
    }

    @Test
    void findAndCancelIncludeTheNextJob() throws Exception {
      try (Connection one = transaction();
          Connection other = transaction()) {
        enqueueIn(one);
        JobId next = enqueueIn(other).jobId();
        other.commit();
        assertThat(fixture.unique.cancel(SYNC, sync("a"), UNTIL_STARTED))
            .as("the first is held, the next is cancelled")
            .isEqualTo(CancelResult.BUSY);
        assertThat(fixture.value("SELECT string_agg(id::text, ' ') FROM @jobs"))
            .isEqualTo("" + first);

        JobId again = enqueueIn(other).jobId();
        other.commit();
        one.commit();
        assertThat(again).isNotEqualTo(next);
        assertThat(fixture.claim().jobId()).isEqualTo(first);
        assertThat(fixture.unique.find(SYNC, sync("a"), UNTIL_STARTED))
            .contains(new KeyHolder(again, HolderStatus.PENDING));
        assertThat(fixture.unique.cancel(SYNC, sync("a"), UNTIL_STARTED))
            .isEqualTo(CancelResult.CANCELLED);
      }
    }

    /**
     * Makes all jobs overdue, except those that a transaction holds, which were made overdue
     * before.
     */
    private void makeAllOverdue() {
      fixture.execute(
          "UPDATE @jobs SET scheduled_at = clock_timestamp() - interval '2 seconds'"
              + " WHERE id IN (SELECT id FROM @jobs FOR UPDATE SKIP LOCKED)");
    }

    private Connection transaction() throws SQLException {
      Connection connection = fixture.database.connection();
      connection.setAutoCommit(false);
      return connection;
    }

    private EnqueueResult enqueueIn(Connection transaction) {
      return fixture.unique.in(transaction).enqueue(SYNC, sync("a"), UNTIL_STARTED);
    }
  }

  @Nested
  class PerPeriod {

    @Test
    void keyIsHeldAfterTheCompletionAndThePruningOfItsJob() {
      JobId first = enqueue(PER_HOUR).jobId();
      assertThat(enqueue(PER_HOUR)).isEqualTo(already(first, HolderStatus.PENDING));
      Execution attempt = fixture.claim();
      assertThat(enqueue(PER_HOUR)).isEqualTo(already(first, HolderStatus.RUNNING));
      fixture.store.complete(List.of(attempt));
      assertThat(enqueue(PER_HOUR)).isEqualTo(already(first, HolderStatus.ENDED));
      fixture.execute("TRUNCATE @jobs_archive");
      fixture.queue.maintenance().prune();

      assertThat(enqueue(PER_HOUR)).isEqualTo(already(first, HolderStatus.ENDED));
    }

    @Test
    void keyIsFreeWhenThePeriodHasEndedEvenIfTheJobStillWaits() {
      JobId first = enqueue(PER_HOUR).jobId();
      assertThat(
              fixture.value(
                  "SELECT round(extract(epoch FROM expires_at - clock_timestamp()) / 60) FROM @job_keys"))
          .isEqualTo("60");
      fixture.execute("UPDATE @job_keys SET expires_at = clock_timestamp()");

      JobId second = enqueue(PER_HOUR).jobId();

      assertThat(second).isNotEqualTo(first);
      assertThat(enqueue(PER_HOUR)).isEqualTo(already(second, HolderStatus.PENDING));
    }

    @Test
    void periodKeyDoesNotConflictWithIdempotencyKeysOrKeysOfJobs() {
      enqueue(PER_HOUR);

      assertThat(enqueue(BY_ACCOUNT)).isInstanceOf(Enqueued.class);
      assertThat(fixture.queue.enqueueOnce(SYNC, sync("a"), job -> job.idempotencyKey("a")))
          .isInstanceOf(Enqueued.class);
    }

    @Test
    void rollbackFreesThePeriodKey() throws Exception {
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        fixture.unique.in(connection).enqueue(SYNC, sync("a"), PER_HOUR);
        connection.rollback();
        connection.setAutoCommit(true);
      }
      assertThat(enqueue(PER_HOUR)).isInstanceOf(Enqueued.class);
    }

    @Test
    void aJobCannotHaveBothAUniqueKeyAndAnIdempotencyKey() {
      assertThatThrownBy(
              () ->
                  fixture.unique.enqueue(
                      SYNC, sync("a"), PER_HOUR, job -> job.idempotencyKey("request-1")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'sync' has a unique key and an idempotency key");
    }
  }
}
