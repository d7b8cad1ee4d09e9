package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests unique jobs that have an ordering key. */
@QueueTest
@Timeout(60)
class UniqueOrderingTest {

  private static final JobType<Sync> ORDERED = Fixture.SYNC.orderedBy(sync -> "key");
  private static final JobType<Sync> STRICT = ORDERED.strictOrdering();

  private Fixture fixture;

  @BeforeEach
  void open(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  /**
   * A way to enqueue a unique job of the account {@code b}, in the given transaction or in its own.
   */
  @FunctionalInterface
  interface Way {
    JobId enqueue(UniqueJobs unique, Connection transaction);
  }

  static Stream<Named<Way>> ways() {
    return Stream.of(
        Named.of("own transaction", (unique, tx) -> one(unique, Fixture.BY_ACCOUNT)),
        Named.of("own transaction, many jobs", (unique, tx) -> many(unique, Fixture.BY_ACCOUNT)),
        Named.of("own transaction, period", (unique, tx) -> one(unique, perHour())),
        Named.of("caller's transaction", (unique, tx) -> one(unique.in(tx), Fixture.BY_ACCOUNT)),
        Named.of(
            "caller's transaction, many jobs",
            (unique, tx) -> many(unique.in(tx), Fixture.BY_ACCOUNT)),
        Named.of("caller's transaction, period", (unique, tx) -> one(unique.in(tx), perHour())));
  }

  private static Unique<Sync> perHour() {
    return Fixture.BY_ACCOUNT.perPeriod(Duration.ofHours(1));
  }

  private static JobId one(UniqueEnqueuer enqueuer, Unique<Sync> unique) {
    return enqueuer.enqueue(STRICT, Fixture.sync("b"), unique).jobId();
  }

  private static JobId many(UniqueEnqueuer enqueuer, Unique<Sync> unique) {
    List<Sync> payloads = List.of(Fixture.sync("c"), Fixture.sync("b"));
    return enqueuer.enqueueAll(STRICT, payloads, unique).get(1).jobId();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void strictEnqueueWaitsForAnOpenTransactionOfItsOrderingKey(Way way) throws Exception {
    try (Connection open = fixture.database.connection();
        Connection other = fixture.database.connection()) {
      open.setAutoCommit(false);
      other.setAutoCommit(false);
      JobId first =
          fixture.unique.in(open).enqueue(STRICT, Fixture.sync("a"), Fixture.BY_ACCOUNT).jobId();
      CompletableFuture<JobId> second =
          CompletableFuture.supplyAsync(() -> way.enqueue(fixture.unique, other));
      fixture.awaitBlockedBy(open);

      open.commit();
      assertThat(second.get().value()).isGreaterThan(first.value());
      other.commit();
    }
  }

  @Test
  void duplicateOfAJobThatWaitsForItsOrderingKeyIsReported() {
    enqueue("head");
    Enqueued waiting = (Enqueued) enqueue("a");

    assertThat(enqueue("a")).isEqualTo(new AlreadyQueued(waiting.jobId(), HolderStatus.WAITING));
  }

  @Test
  void replacedWaitingJobKeepsItsPositionAndRunsWithTheNewPayload() {
    Enqueued head = (Enqueued) enqueue("head");
    Enqueued waiting = (Enqueued) enqueue("a");
    Enqueued last = (Enqueued) enqueue("b");

    Unique<Sync> latest = Fixture.BY_ACCOUNT.replace(JobPart.PAYLOAD);
    assertThat(fixture.unique.enqueue(ORDERED, new Sync("a", 2), latest))
        .isEqualTo(new Replaced(waiting.jobId()));
    for (Enqueued next : List.of(head, waiting, last)) {
      List<Execution> claimed = fixture.claim(10, Fixture.LEASE);
      assertThat(claimed).extracting(Execution::jobId).containsExactly(next.jobId());
      assertThat(fixture.value("SELECT payload ->> 'version' FROM @jobs WHERE status = 'running'"))
          .isEqualTo(next.equals(waiting) ? "2" : "1");
      fixture.store.complete(claimed);
    }
  }

  /** As with a pending job, the handler must see what the transaction commits. */
  @Test
  void waitingJobReturnedToATransactionIsNotClaimedBeforeItCommits() throws SQLException {
    Unique<Sync> next = Fixture.BY_ACCOUNT.untilStarted();
    fixture.unique.enqueue(ORDERED, Fixture.sync("head"), next);
    JobId waiting = fixture.unique.enqueue(ORDERED, Fixture.sync("a"), next).jobId();
    Execution head = fixture.claim();
    try (Connection open = fixture.database.connection()) {
      open.setAutoCommit(false);
      assertThat(fixture.unique.in(open).enqueue(ORDERED, Fixture.sync("a"), next))
          .isEqualTo(new AlreadyQueued(waiting, HolderStatus.WAITING));
      fixture.store.complete(List.of(head));
      assertThat(fixture.claim(10, Fixture.LEASE)).isEmpty();
      open.commit();
    }
    fixture.queue.orderedJobs().orElseThrow().sweep();
    assertThat(fixture.claim().jobId()).isEqualTo(waiting);
  }

  @Test
  void deadHeadWhoseUniqueKeyIsTakenBlocksUntilItIsSkippedAndIsRedrivenLater() {
    JobId dead = enqueue("a").jobId();
    fixture.fail(fixture.claim(), true);
    JobId taker = enqueue("a").jobId();
    assertThat(fixture.queue.admin().redrive(List.of(dead)))
        .containsExactly(new RedriveResult.Conflict(taker));
    assertThat(fixture.claim(10, Fixture.LEASE)).isEmpty();

    assertThat(fixture.queue.admin().unblock("key")).isTrue();
    Execution running = fixture.claim();
    assertThat(running.jobId()).isEqualTo(taker);
    fixture.store.complete(List.of(running));
    assertThat(fixture.queue.admin().redrive(List.of(dead)))
        .containsExactly(new RedriveResult.Redriven());
    assertThat(fixture.claim().jobId()).isEqualTo(dead);
  }

  @Test
  void cancelledHolderPassesItsOrderingKeyOn() {
    Enqueued head = (Enqueued) enqueue("a");
    Enqueued waiting = (Enqueued) enqueue("b");
    assertThat(fixture.unique.cancel(ORDERED, Fixture.sync("a"), Fixture.BY_ACCOUNT))
        .isEqualTo(CancelResult.CANCELLED);
    assertThat(fixture.claim().jobId()).isEqualTo(waiting.jobId()).isNotEqualTo(head.jobId());
  }

  @Test
  void waitingHolderThatIsCancelledFreesItsUniqueKeyAndKeepsTheOrderOfTheOthers() {
    JobId head = enqueue("head").jobId();
    JobId waiting = enqueue("a").jobId();
    JobId last = enqueue("b").jobId();
    assertThat(fixture.unique.cancel(ORDERED, Fixture.sync("a"), Fixture.BY_ACCOUNT))
        .isEqualTo(CancelResult.CANCELLED);
    assertThat(jobs()).isEqualTo(head + " pending head, " + last + " waiting");

    Enqueued again = (Enqueued) enqueue("a");
    assertThat(again.jobId()).isNotEqualTo(waiting);
    assertThat(jobs())
        .isEqualTo(head + " pending head, " + last + " waiting, " + again.jobId() + " waiting");
  }

  /** Each row lists the states of both jobs after the death, and after the redrive. */
  @ParameterizedTest
  @CsvSource({
    "BLOCK, dead head, waiting, pending head, waiting",
    "SKIP, dead, pending head, waiting, pending head",
    "PARK, dead, dead, pending head, dead"
  })
  void deathAndRedriveOfAUniqueJobFollowThePolicy(
      OrderingPolicy policy,
      String deadJob,
      String nextJob,
      String redrivenJob,
      String nextAfterRedrive) {
    JobType<Sync> type = ORDERED.orderingPolicy(policy);
    JobId first = fixture.unique.enqueue(type, Fixture.sync("a"), Fixture.BY_ACCOUNT).jobId();
    JobId next = fixture.unique.enqueue(type, Fixture.sync("b"), Fixture.BY_ACCOUNT).jobId();
    fixture.fail(fixture.claim(), true);
    assertThat(jobs()).isEqualTo(first + " " + deadJob + ", " + next + " " + nextJob);

    assertThat(fixture.queue.admin().redrive(List.of(first)))
        .containsExactly(new RedriveResult.Redriven());
    assertThat(jobs()).isEqualTo(first + " " + redrivenJob + ", " + next + " " + nextAfterRedrive);
    assertThat(fixture.unique.enqueue(type, Fixture.sync("a"), Fixture.BY_ACCOUNT))
        .isEqualTo(
            new AlreadyQueued(
                first,
                redrivenJob.startsWith("pending") ? HolderStatus.PENDING : HolderStatus.WAITING));
  }

  /** An idempotency key is used once, whatever happens to the job. */
  @ParameterizedTest
  @EnumSource(OrderingPolicy.class)
  void idempotencyKeyOfAnOrderedJobRemainsUsedThroughDeathRedriveAndCompletion(
      OrderingPolicy policy) {
    JobType<Sync> type = ORDERED.orderingPolicy(policy);
    JobId head = once(type, "head").jobId();
    JobId waiting = once(type, "a").jobId();
    assertThat(once(type, "a")).isEqualTo(new AlreadyQueued(waiting));
    assertThat(jobs()).isEqualTo(head + " pending head, " + waiting + " waiting");

    fixture.fail(fixture.claim(), true);
    assertThat(once(type, "head")).isEqualTo(new AlreadyQueued(head));
    fixture.queue.admin().redrive(List.of(head, waiting));
    for (int i = 0; i < 2; i++) {
      fixture.store.complete(List.of(fixture.claim()));
    }
    assertThat(jobs()).isEmpty();
    assertThat(once(type, "a")).isEqualTo(new AlreadyQueued(waiting));
    assertThat(jobs()).isEmpty();
  }

  @Test
  void uniqueJobWithAnOrderingKeyCannotHaveAnIdempotencyKey() {
    assertThatThrownBy(
            () ->
                fixture.unique.enqueue(
                    ORDERED,
                    Fixture.sync("a"),
                    Fixture.BY_ACCOUNT,
                    job -> job.idempotencyKey("request")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(jobs()).isEmpty();
  }

  private EnqueueResult once(JobType<Sync> type, String key) {
    return fixture.queue.enqueueOnce(type, Fixture.sync(key), job -> job.idempotencyKey(key));
  }

  /** Returns the id and the status of each live job, and marks the head of the ordering key. */
  private String jobs() {
    return fixture.value(
        "SELECT coalesce(string_agg(id || ' ' || status || CASE WHEN ordering_head THEN ' head'"
            + " ELSE '' END, ', ' ORDER BY id), '') FROM @jobs");
  }

  private EnqueueResult enqueue(String account) {
    return fixture.unique.enqueue(ORDERED, Fixture.sync(account), Fixture.BY_ACCOUNT);
  }
}
