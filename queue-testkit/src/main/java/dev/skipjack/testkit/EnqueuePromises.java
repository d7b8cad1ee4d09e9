package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An enqueue creates jobs as its arguments specify. */
abstract class EnqueuePromises extends Promises {

  @Test
  void writesTheOptionsOfTheTypeAndTheJob() throws SQLException {
    Instant before = fixture.now();
    JobId id =
        fixture
            .ports
            .enqueuer()
            .enqueue(
                WORK.onQueue("emails").payloadVersion(2),
                7,
                job -> job.priority(5).maxAttempts(2).tags("vip", "a \"quoted\", {tag}"));

    JobDetails job = fixture.find(id);

    assertThat(job.payload()).isEqualTo("7");
    assertThat(job.payloadVersion()).isEqualTo(2);
    assertThat(job.executions()).isEmpty();
    assertThat(job.currentExecution()).isNull();
    JobSummary summary = job.summary();
    assertThat(summary.id()).isEqualTo(id);
    assertThat(summary.status()).isEqualTo(JobStatus.PENDING);
    assertThat(summary.queue()).isEqualTo("emails");
    assertThat(summary.kind()).isEqualTo("work");
    assertThat(summary.priority()).isEqualTo(5);
    assertThat(summary.maxAttempts()).isEqualTo(2);
    assertThat(summary.attempts()).isZero();
    assertThat(summary.tags()).containsExactly("vip", "a \"quoted\", {tag}");
    assertThat(summary.createdAt()).isBetween(before, fixture.now());
    assertThat(summary.scheduledAt()).isBetween(before, fixture.now());
  }

  /** The trace is passed from the enqueue to the handler, and kept after the job has ended. */
  @Test
  void carriesTheTraceToTheClaimAndTheArchive() {
    String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    JobId plain = fixture.enqueue(1);
    JobId traced = fixture.enqueue(2, job -> job.traceparent(trace));
    JobId once = fixture.enqueue(3, job -> job.traceparent(trace).idempotencyKey("k"));

    List<ClaimedJob> claimed = fixture.claim(3);

    assertThat(claimed)
        .extracting(job -> job.execution().jobId(), ClaimedJob::traceparent)
        .containsExactly(tuple(plain, null), tuple(traced, trace), tuple(once, trace));
    assertThat(fixture.find(traced).traceparent()).isEqualTo(trace);
    store.complete(List.of(claimed.get(1).execution()));
    assertThat(fixture.find(traced).traceparent()).isEqualTo(trace);
  }

  /** Headers are passed like the trace. The worker passes them to follow-up jobs. */
  @Test
  void carriesHeadersToTheClaimAndTheArchive() {
    Map<String, String> headers =
        Map.of("tenant", "a \"quoted\" \\ \u20ac \uD83D\uDE00", "empty", "");
    JobId plain = fixture.enqueue(1);
    JobId carrying = fixture.enqueue(2, job -> job.headers(headers));
    JobId once = fixture.enqueue(3, job -> job.headers(headers).idempotencyKey("k"));

    List<ClaimedJob> claimed = fixture.claim(3);

    assertThat(claimed)
        .extracting(job -> job.execution().jobId(), ClaimedJob::headers)
        .containsExactly(tuple(plain, Map.of()), tuple(carrying, headers), tuple(once, headers));
    assertThat(fixture.find(carrying).headers()).isEqualTo(headers);
    store.complete(List.of(claimed.get(1).execution()));
    assertThat(fixture.find(carrying).headers()).isEqualTo(headers);
  }

  @Test
  void returnsResultsInTheOrderOfALongInput() {
    List<JobId> ids =
        fixture.ports.enqueuer().enqueueAll(WORK, IntStream.range(0, 2_500).boxed().toList());

    assertThat(ids).hasSize(2_500).doesNotHaveDuplicates();
    for (int i : List.of(0, 999, 1_000, 1_777, 2_499)) {
      assertThat(fixture.find(ids.get(i)).payload()).isEqualTo(Integer.toString(i));
    }
  }

  @Test
  void anEmptyListIsAllowed() {
    assertThat(fixture.ports.enqueuer().enqueueAll(WORK, List.of())).isEmpty();
    assertThat(store.enqueue(List.of())).isEmpty();
  }

  @Test
  void aDelayCountsFromTheEnqueueByTheDatabasesClock() throws SQLException {
    Instant before = fixture.now();
    JobId id = fixture.enqueue(1, job -> job.delay(Duration.ofHours(1)));

    assertThat(fixture.summary(id).scheduledAt())
        .isBetween(before.plus(Duration.ofHours(1)), fixture.now().plus(Duration.ofHours(1)));
  }

  @Test
  void anInstantIsKeptToTheMicrosecondAndOneInThePastMeansNow() throws SQLException {
    Instant before = fixture.now();
    Instant later = before.plus(Duration.ofDays(40)).truncatedTo(ChronoUnit.MICROS);
    JobId future = fixture.enqueue(1, job -> job.at(later));
    JobId past = fixture.enqueue(2, job -> job.at(Instant.EPOCH));

    assertThat(fixture.summary(future).scheduledAt()).isEqualTo(later);
    assertThat(fixture.summary(past).scheduledAt()).isBetween(before, fixture.now());
  }

  @Test
  void unsetOptionsFallBackToTheQueueAndThenToTheDefault() {
    JobType<Integer> bare = JobType.of("bare", Integer.class).onQueue("slow");
    admin.configure("slow", QueueSettings.defaults().defaultPriority(-5).defaultMaxAttempts(7));

    assertRules(bare, -5, 7);
    assertRules(bare.priority(1).maxAttempts(2), 1, 2);
    assertRules(bare.onQueue("other"), 0, JobType.DEFAULT_MAX_ATTEMPTS);
    JobId own = fixture.ports.enqueuer().enqueue(bare, 1, job -> job.priority(3).maxAttempts(4));
    assertThat(fixture.summary(own).priority()).isEqualTo(3);
    assertThat(fixture.summary(own).maxAttempts()).isEqualTo(4);
  }

  private void assertRules(JobType<Integer> type, int priority, int maxAttempts) {
    JobSummary job = fixture.summary(fixture.ports.enqueuer().enqueue(type, 1));
    assertThat(job.priority()).isEqualTo(priority);
    assertThat(job.maxAttempts()).isEqualTo(maxAttempts);
  }

  @Test
  void isVisibleOnceTheCallersTransactionCommits() throws SQLException {
    try (Connection transaction = fixture.transaction()) {
      JobId id = fixture.ports.enqueuerIn(transaction).enqueue(WORK, 1);
      assertThat(reader.find(id)).isEmpty();
      assertThat(fixture.dueLanes("default")).isEmpty();
      assertThat(fixture.claim(1)).isEmpty();

      transaction.commit();

      assertThat(fixture.dueLanes("default")).containsExactly(new Lane("default", 0));
      assertThat(fixture.claimOne(LEASE).jobId()).isEqualTo(id);
    }
  }

  @Test
  void isRolledBackWithTheCallersTransaction() throws SQLException {
    try (Connection transaction = fixture.transaction()) {
      fixture.ports.enqueuerIn(transaction).enqueueAll(WORK, List.of(1, 2, 3));
      store.enqueue(transaction, List.of(job("4")));

      assertThat(transaction.isClosed()).isFalse();
      transaction.rollback();
    }
    assertThat(reader.list(JobQuery.live()).jobs()).isEmpty();
  }

  @Test
  void aRefusedPayloadLeavesTheCallersTransactionUsable() throws SQLException {
    JobType<String> text = JobType.of("work", String.class);
    try (Connection transaction = fixture.transaction()) {
      for (String refused : List.of("nul \0", "lone \uD800 surrogate")) {
        assertThatThrownBy(() -> fixture.ports.enqueuerIn(transaction).enqueue(text, refused))
            .isInstanceOf(PayloadException.class);
      }
      fixture.ports.enqueuerIn(transaction).enqueue(WORK, 1);
      transaction.commit();
    }
    assertThat(reader.list(JobQuery.live()).jobs()).hasSize(1);
  }

  @Test
  void writesAllOrNone() {
    assertThatThrownBy(() -> store.enqueue(List.of(job("1"), job("{not json"))))
        .isInstanceOf(StoreException.class);

    assertThat(reader.list(JobQuery.live()).jobs()).isEmpty();
  }

  static NewJob job(String payload) {
    return NewJob.of(WORK, payload, EnqueueOptions.none());
  }
}
