package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.EXPIRED;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Rescued;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs whose lease has expired are rescued, and no others. */
abstract class RescuePromises extends Promises {

  @Test
  void rescuedJobIsPendingAndItsAttemptLost() throws SQLException {
    fixture.enqueue(1);
    Execution lost = fixture.claimOne(EXPIRED);

    assertThat(store.rescue(Duration.ZERO, 10))
        .containsExactly(new Rescued(lost, "default", "work", JobStatus.PENDING));

    JobDetails job = fixture.find(lost.jobId());
    assertThat(job.summary().status()).isEqualTo(JobStatus.PENDING);
    assertThat(job.summary().usedAttempts()).isEqualTo(1);
    assertThat(job.summary().lastError()).isNotNull();
    assertThat(job.summary().scheduledAt()).isBeforeOrEqualTo(fixture.now());
    assertThat(job.currentExecution()).isNull();
    assertThat(job.executions())
        .singleElement()
        .satisfies(
            attempt -> {
              assertThat(attempt.status()).isEqualTo(ExecutionStatus.LOST);
              assertThat(attempt.error()).isNotNull();
            });
    assertThat(store.rescue(Duration.ZERO, 10)).isEmpty();
  }

  @Test
  void skipsJobsThatAreNotRunningOrStillLeased() {
    fixture.dead(1);
    fixture.enqueueMany(2);
    fixture.claimOne(LEASE);

    assertThat(store.rescue(Duration.ZERO, 10)).isEmpty();
  }

  @Test
  void jobIsDeadIfItsWorkersCrashedTooOften() {
    JobId id = fixture.enqueue(1);
    for (int attempt = 1; attempt <= 3; attempt++) {
      fixture.claimOne(EXPIRED);
      assertThat(store.rescue(Duration.ZERO, 10))
          .extracting(Rescued::status)
          .containsExactly(attempt == 3 ? JobStatus.DEAD : JobStatus.PENDING);
    }
    assertThat(fixture.statusOf(id)).isEqualTo(JobStatus.DEAD);
    assertThat(fixture.summary(id).diedAt()).isNotNull();
    assertThat(fixture.audit(id))
        .containsExactly(ExecutionStatus.LOST, ExecutionStatus.LOST, ExecutionStatus.LOST);
  }

  @Test
  void spreadsTheDueTimesOfRescuedJobs() throws SQLException {
    fixture.enqueueMany(40);
    List<ClaimedJob> claimed = fixture.claim(40, EXPIRED);
    Instant before = fixture.now();

    store.rescue(Duration.ofHours(1), 100);

    Instant latest = fixture.now().plus(Duration.ofHours(1));
    List<Instant> due =
        claimed.stream()
            .map(job -> fixture.summary(job.execution().jobId()).scheduledAt())
            .toList();
    assertThat(due).allSatisfy(instant -> assertThat(instant).isBetween(before, latest));
    assertThat(
            due.stream()
                .map(instant -> Duration.between(before, instant).toMinutes() / 6)
                .distinct())
        .hasSizeGreaterThan(3);
  }

  @Test
  void rescueTakesUpToItsLimitAndTheNextCallTakesTheRest() {
    fixture.enqueueMany(5);
    fixture.claim(5, EXPIRED);

    assertThat(store.rescue(Duration.ZERO, 2)).hasSize(2);
    assertThat(store.rescue(Duration.ZERO, 10)).hasSize(3);
  }

  @Test
  void skipsLockedRows() throws Exception {
    fixture.enqueueMany(2);
    List<ClaimedJob> lost = fixture.claim(2, EXPIRED);
    JobId held = lost.get(0).execution().jobId();
    try (Connection rival = fixture.hold(held)) {
      assertThat(rival).isNotNull();
      assertThat(fixture.withoutWaiting(() -> store.rescue(Duration.ZERO, 10)))
          .extracting(Rescued::execution)
          .containsExactly(lost.get(1).execution());
    }
    assertThat(store.rescue(Duration.ZERO, 10))
        .extracting(Rescued::execution)
        .containsExactly(lost.get(0).execution());
  }
}
