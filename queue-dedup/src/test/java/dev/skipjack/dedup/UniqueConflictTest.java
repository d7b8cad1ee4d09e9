package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.OTHER;
import static dev.skipjack.dedup.Fixture.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the effect of a duplicate on the job that holds its key. */
@QueueTest
class UniqueConflictTest {

  private static final Unique<Sync> REPLACE = BY_ACCOUNT.replace();
  private static final Unique<Sync> DEBOUNCE =
      BY_ACCOUNT.debounce(Duration.ofMinutes(1), Duration.ofMinutes(5));

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  private EnqueueResult enqueue(int version, Unique<Sync> unique) {
    return enqueue(version, unique, UnaryOperator.identity());
  }

  private EnqueueResult enqueue(
      int version, Unique<Sync> unique, UnaryOperator<EnqueueOptions> options) {
    return fixture.unique.enqueue(SYNC, new Sync("a", version), unique, options);
  }

  @ParameterizedTest
  @CsvSource({"PAYLOAD,2 3 600", "PRIORITY,1 -7 600", "SCHEDULE,1 3 1200"})
  void replacesTheChosenPart(JobPart part, String expected) {
    JobId first =
        enqueue(1, BY_ACCOUNT, job -> job.priority(3).delay(Duration.ofMinutes(10))).jobId();

    assertThat(
            enqueue(
                2, BY_ACCOUNT.replace(part), job -> job.priority(-7).delay(Duration.ofMinutes(20))))
        .isEqualTo(new Replaced(first));

    assertThat(fixture.job(first)).isEqualTo(expected);
  }

  @Test
  void replacesEveryPartWithThatOfTheDuplicate() {
    fixture.queue.admin().configure("default", QueueSettings.defaults().defaultPriority(9));
    JobId first =
        enqueue(1, BY_ACCOUNT, job -> job.priority(3).delay(Duration.ofMinutes(10))).jobId();

    enqueue(2, REPLACE);

    assertThat(fixture.job(first)).isEqualTo("2 9 0");
    fixture.execute("DELETE FROM @job_queues");
    enqueue(3, REPLACE, job -> job.at(Instant.EPOCH));
    assertThat(fixture.job(first)).isEqualTo("3 0 0");
    assertThat(
            fixture.value("SELECT scheduled_at >= created_at AND payload_version = 1 FROM @jobs"))
        .isEqualTo("t");
    fixture.unique.enqueue(SYNC.payloadVersion(4), new Sync("a", 5), REPLACE);
    assertThat(fixture.value("SELECT payload_version FROM @jobs")).isEqualTo("4");
  }

  @Test
  void keepExistingChangesNothing() {
    JobId first = enqueue(1, BY_ACCOUNT, job -> job.priority(3)).jobId();

    assertThat(enqueue(2, REPLACE.keepExisting()))
        .isEqualTo(new AlreadyQueued(first, HolderStatus.PENDING));

    assertThat(fixture.job(first)).isEqualTo("1 3 0");
  }

  @Test
  void neverChangesARunningOrRetryingOrDeadJobAndReportsItsStatus() {
    for (Unique<Sync> unique : List.of(REPLACE, DEBOUNCE)) {
      JobId first = enqueue(1, BY_ACCOUNT.whileLiveOrDead()).jobId();
      Execution attempt = fixture.claim();
      String row = row(first);
      assertThat(enqueue(2, unique)).isEqualTo(new AlreadyQueued(first, HolderStatus.RUNNING));
      assertThat(row(first)).isEqualTo(row);
      fixture.fail(attempt, false);
      row = row(first);
      assertThat(enqueue(2, unique)).isEqualTo(new AlreadyQueued(first, HolderStatus.RETRYING));
      assertThat(row(first)).isEqualTo(row);
      fixture.fail(fixture.claim(), true);
      row = row(first);
      assertThat(enqueue(2, unique)).isEqualTo(new AlreadyQueued(first, HolderStatus.DEAD));
      assertThat(row(first)).isEqualTo(row);
      fixture.queue.admin().prune(List.of(first));
    }
  }

  /** A lock would block the job's outcome while the caller's transaction stays open. */
  @Test
  void aRunningJobIsNotLocked() throws Exception {
    enqueue(1, BY_ACCOUNT);
    Execution attempt = fixture.claim();
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      fixture.unique.in(connection).enqueue(SYNC, new Sync("a", 2), REPLACE);

      assertThat(fixture.store.complete(List.of(attempt))).containsExactly(Verdict.DONE);
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  /** The handler of the other kind could not read the payload. */
  @Test
  void neverChangesAJobOfAnotherKind() {
    JobId other = fixture.unique.enqueue(OTHER, new Sync("a", 1), BY_ACCOUNT.withinQueue()).jobId();
    String row = row(other);

    assertThat(enqueue(2, REPLACE.withinQueue()))
        .isEqualTo(new AlreadyQueued(other, HolderStatus.PENDING));
    assertThat(enqueue(2, DEBOUNCE.withinQueue()))
        .isEqualTo(new AlreadyQueued(other, HolderStatus.PENDING));

    assertThat(row(other)).isEqualTo(row);
  }

  /** The handler of the other kind must still see what is committed with the duplicate. */
  @Test
  void aJobOfAnotherKindIsHeldUntilTheCallersTransactionEnds() throws Exception {
    Unique<Sync> inQueue = BY_ACCOUNT.withinQueue().untilStarted();
    JobId other = fixture.unique.enqueue(OTHER, new Sync("a", 1), inQueue).jobId();
    String payload = fixture.value("SELECT payload FROM @jobs");
    for (Unique<Sync> unique :
        List.of(inQueue.replace(), inQueue.debounce(Duration.ofNanos(1_000), Duration.ofDays(1)))) {
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);

        assertThat(fixture.unique.in(connection).enqueue(SYNC, new Sync("a", 2), unique))
            .isEqualTo(new AlreadyQueued(other, HolderStatus.PENDING));

        assertThat(fixture.claim(1, Fixture.LEASE)).isEmpty();
        connection.commit();
        connection.setAutoCommit(true);
      }
    }
    assertThat(fixture.value("SELECT payload FROM @jobs")).isEqualTo(payload);
    assertThat(fixture.claim().jobId()).isEqualTo(other);
  }

  /** Only {@code untilStarted} guarantees that the job starts after the caller's transaction. */
  @Test
  void aJobOfAnotherKindThatHoldsItsKeyWhileLiveIsNotLocked() throws Exception {
    Unique<Sync> inQueue = BY_ACCOUNT.withinQueue();
    JobId other = fixture.unique.enqueue(OTHER, new Sync("a", 1), inQueue).jobId();
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      fixture.unique.in(connection).enqueue(SYNC, new Sync("a", 2), inQueue.replace());

      assertThat(fixture.claim().jobId()).isEqualTo(other);
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  @Test
  void replacesWithinAPeriodWhileTheJobWaits() {
    Unique<Sync> perHour = REPLACE.perPeriod(Duration.ofHours(1));
    JobId first = enqueue(1, perHour).jobId();

    assertThat(enqueue(2, perHour)).isEqualTo(new Replaced(first));
    assertThat(fixture.job(first)).isEqualTo("2 0 0");
    fixture.fail(fixture.claim(), false);
    String row = row(first);
    assertThat(enqueue(3, perHour)).isEqualTo(new AlreadyQueued(first, HolderStatus.RETRYING));
    assertThat(row(first)).isEqualTo(row);
    fixture.store.complete(List.of(fixture.claim()));
    assertThat(enqueue(3, perHour)).isEqualTo(new AlreadyQueued(first, HolderStatus.ENDED));
  }

  @Test
  void aDebouncedJobIsDueAfterTheQuietPeriodWithTheLastPayload() {
    JobId first = enqueue(1, DEBOUNCE).jobId();
    assertThat(fixture.job(first)).isEqualTo("1 0 60");
    passes("30 seconds");

    assertThat(enqueue(2, DEBOUNCE)).isEqualTo(new Replaced(first));

    assertThat(fixture.job(first)).isEqualTo("2 0 60");
  }

  @Test
  void aDebouncedJobIsDueAfterTheMaximumWaitAtTheLatest() {
    JobId first = enqueue(1, DEBOUNCE).jobId();
    passes("270 seconds");
    enqueue(2, DEBOUNCE);
    assertThat(fixture.job(first)).isEqualTo("2 0 30");
    passes("100 seconds");

    enqueue(3, DEBOUNCE);

    assertThat(fixture.job(first)).as("now, and not in the past").isEqualTo("3 0 0");
  }

  /** The handler has chosen the due time, so neither debounce duration changes it. */
  @Test
  void aJobThatWasSnoozedKeepsItsDueTimeWhenItIsDebounced() {
    JobId first = enqueue(1, BY_ACCOUNT).jobId();
    fixture.store.requeue(
        List.of(new Requeue(fixture.claim(), ExecutionStatus.SNOOZED, Duration.ofMinutes(10))));
    passes("360 seconds");

    assertThat(enqueue(2, DEBOUNCE)).isEqualTo(new Replaced(first));

    assertThat(fixture.job(first)).isEqualTo("2 0 240");
    assertThat(enqueue(3, REPLACE)).isEqualTo(new Replaced(first));
    assertThat(fixture.job(first)).isEqualTo("3 0 0");
  }

  @Test
  void aDebouncedJobCannotHaveAnotherDueTime() {
    assertThatThrownBy(() -> enqueue(1, DEBOUNCE, job -> job.delay(Duration.ofHours(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'sync' is debounced");
    assertThatThrownBy(() -> enqueue(1, DEBOUNCE, job -> job.at(Instant.now())))
        .hasMessageContaining("'sync' is debounced");
  }

  /** A job that was read as pending may be running by the time it is locked. */
  @ParameterizedTest
  @EnumSource
  void aJobThatChangesWhileTheDuplicateWaitsIsReadAgain(Meanwhile meanwhile) throws Exception {
    JobId first = enqueue(1, BY_ACCOUNT).jobId();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection rival = fixture.database.connection()) {
      rival.setAutoCommit(false);
      rival.createStatement().execute(fixture.inSchema(meanwhile.sql + " WHERE id = " + first));
      Future<EnqueueResult> waiting = thread.submit(() -> enqueue(2, REPLACE));
      fixture.awaitOneBlocked();
      rival.commit();
      rival.setAutoCommit(true);

      EnqueueResult result = waiting.get(10, TimeUnit.SECONDS);
      switch (meanwhile) {
        case CLAIMED ->
            assertThat(result).isEqualTo(new AlreadyQueued(first, HolderStatus.RUNNING));
        case REPLACED -> assertThat(result).isEqualTo(new Replaced(first));
        case ENDED -> assertThat(result).isInstanceOf(Enqueued.class);
      }
    } finally {
      thread.shutdownNow();
    }
  }

  enum Meanwhile {
    CLAIMED(
        "UPDATE @jobs SET status = 'running', attempts = 1, current_execution_id = 1, started_at = now(), lease_expires_at = now()"),
    REPLACED("UPDATE @jobs SET payload = '{}'"),
    ENDED("DELETE FROM @jobs");

    private final String sql;

    Meanwhile(String sql) {
      this.sql = sql;
    }
  }

  private void passes(String time) {
    fixture.execute(
        "UPDATE @jobs SET scheduled_at = scheduled_at - interval '%s', created_at = created_at - interval '%s'"
            .formatted(time, time));
  }

  private String row(JobId id) {
    return fixture.value("SELECT jobs::text || xmin FROM @jobs WHERE id = " + id);
  }
}
