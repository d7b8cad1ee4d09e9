package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An enqueue with an idempotency key may be repeated. */
abstract class IdempotencyKeyPromises extends Promises {

  private JobEnqueuer enqueuer;

  @BeforeEach
  void takeEnqueuer() {
    enqueuer = fixture.ports.enqueuer();
  }

  @Test
  void aRepeatReturnsTheFirstJob() {
    EnqueueResult first = enqueuer.enqueueOnce(WORK, 1, key("order-1"));

    assertThat(first).isInstanceOf(Enqueued.class);
    assertThat(enqueuer.enqueueOnce(WORK, 2, key("order-1")))
        .isEqualTo(new AlreadyQueued(first.jobId()));
    assertThat(enqueuer.enqueue(WORK, 3, key("order-1"))).isEqualTo(first.jobId());
    assertThat(enqueuer.enqueueOnce(WORK, 4, key("order-2"))).isInstanceOf(Enqueued.class);
    assertThat(live()).hasSize(2);
    assertThat(fixture.find(first.jobId()).payload()).isEqualTo("1");
  }

  @Test
  void theKeyOutlivesItsJob() {
    JobId first = enqueuer.enqueue(WORK, 1, key("order-1"));
    store.complete(List.of(fixture.claimOne(LEASE)));

    assertThat(enqueuer.enqueueOnce(WORK, 2, key("order-1"))).isEqualTo(new AlreadyQueued(first));
    assertThat(live()).isEmpty();
  }

  @Test
  void anExpiredKeyCanBeUsedAgain() {
    UnaryOperator<EnqueueOptions> forAMoment =
        job -> job.idempotencyKey("order-1", Duration.ofNanos(1_000));
    JobId first = enqueuer.enqueue(WORK, 1, forAMoment);

    EnqueueResult second = enqueuer.enqueueOnce(WORK, 2, key("order-1"));

    assertThat(second).isInstanceOf(Enqueued.class);
    assertThat(second.jobId()).isNotEqualTo(first);
    assertThat(enqueuer.enqueue(WORK, 3, forAMoment)).isEqualTo(second.jobId());
  }

  @Test
  void kindsDoNotShareKeysAndLongKeysStayDifferent() {
    String longKey = "ü".repeat(10_000);
    JobId first = enqueuer.enqueue(WORK, 1, key(longKey));

    assertThat(enqueuer.enqueue(WORK, 1, key(longKey))).isEqualTo(first);
    assertThat(enqueuer.enqueueOnce(WORK, 1, key(longKey + "x"))).isInstanceOf(Enqueued.class);
    assertThat(enqueuer.enqueueOnce(JobType.of("other", Integer.class), 1, key(longKey)))
        .isInstanceOf(Enqueued.class);
  }

  @Test
  void returnsResultsInOrderAndOneJobForDuplicates() {
    JobId known = enqueuer.enqueue(WORK, -1, key("7"));

    List<EnqueueResult> results =
        enqueuer.enqueueAllOnce(
            WORK,
            List.of(3, 17, 7, 13, 8),
            (number, job) -> job.idempotencyKey(Integer.toString(number % 10)));

    assertThat(results.get(0)).isInstanceOf(Enqueued.class);
    assertThat(results.subList(1, 4))
        .containsExactly(
            new AlreadyQueued(known),
            new AlreadyQueued(known),
            new AlreadyQueued(results.get(0).jobId()));
    assertThat(results.get(4)).isInstanceOf(Enqueued.class);
    assertThat(fixture.find(results.get(0).jobId()).payload()).isEqualTo("3");
    assertThat(fixture.find(results.get(4).jobId()).payload()).isEqualTo("8");
    assertThat(live()).hasSize(3);
  }

  @Test
  void keyAndJobRollBackTogether() throws SQLException {
    try (Connection transaction = fixture.transaction()) {
      fixture.ports.enqueuerIn(transaction).enqueue(WORK, 1, key("order-1"));
      transaction.rollback();
    }
    assertThat(enqueuer.enqueueOnce(WORK, 2, key("order-1"))).isInstanceOf(Enqueued.class);
    assertThat(live()).hasSize(1);
  }

  @Test
  void aRepeatLeavesTheCallersTransactionUsable() throws SQLException {
    JobId first = enqueuer.enqueue(WORK, 1, key("order-1"));
    try (Connection transaction = fixture.transaction()) {
      JobEnqueuer bound = fixture.ports.enqueuerIn(transaction);
      assertThat(bound.enqueueOnce(WORK, 2, key("order-1"))).isEqualTo(new AlreadyQueued(first));
      bound.enqueue(WORK, 3, key("order-2"));
      transaction.commit();
    }
    assertThat(live()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void enqueueWaitsForAConcurrentOneAndFollowsItsOutcome(boolean rivalCommits) throws Exception {
    try (Connection rival = fixture.transaction()) {
      JobId rivals = fixture.ports.enqueuerIn(rival).enqueue(WORK, 1, key("order-1"));

      EnqueueResult result =
          fixture.inBackground(
              () -> enqueuer.enqueueOnce(WORK, 2, key("order-1")),
              answer -> {
                fixture.awaitBlockedSession();
                if (rivalCommits) {
                  rival.commit();
                } else {
                  rival.rollback();
                }
                return StoreFixture.answered(answer);
              });

      if (rivalCommits) {
        assertThat(result).isEqualTo(new AlreadyQueued(rivals));
      } else {
        assertThat(result).isInstanceOf(Enqueued.class);
      }
    }
    assertThat(live()).hasSize(1);
  }

  @Test
  void refusesACallWithoutAKeyAndOneKeyForMany() {
    List<Integer> two = List.of(1, 2);

    assertThatThrownBy(() -> enqueuer.enqueueOnce(WORK, 1, UnaryOperator.identity()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> enqueuer.enqueueAllOnce(WORK, two, (number, job) -> job))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> enqueuer.enqueueAll(WORK, two, key("order-1")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(enqueuer.enqueueAllOnce(WORK, List.of(), (number, job) -> job)).isEmpty();
    assertThat(live()).isEmpty();
  }

  private List<JobSummary> live() {
    return reader.list(JobQuery.live()).jobs();
  }

  private static UnaryOperator<EnqueueOptions> key(String key) {
    return job -> job.idempotencyKey(key);
  }
}
