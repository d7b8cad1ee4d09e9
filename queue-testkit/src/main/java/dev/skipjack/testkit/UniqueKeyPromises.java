package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.EXPIRED;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.api.spi.Verdict;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** At most one job at a time holds a unique key, until the event that releases the key. */
abstract class UniqueKeyPromises extends Promises {

  @ParameterizedTest
  @EnumSource
  void aSecondJobIsRefusedAndNothingOfItsBatchIsWritten(UniqueUntil until) {
    JobId first = enqueue(until);

    assertThatThrownBy(
            () -> store.enqueue(List.of(EnqueuePromises.job("1"), unique(until), unique(until))))
        .isInstanceOf(StoreException.class);

    assertThat(reader.list(JobQuery.live()).jobs()).hasSize(1);
    assertThat(fixture.find(first).uniqueLabel()).isEqualTo("label");
  }

  @ParameterizedTest
  @EnumSource
  void theClaimFreesOnlyTheKeyThatIsHeldUntilThen(UniqueUntil until) {
    enqueue(until);
    fixture.claimOne(LEASE);

    assertThat(isFree()).isEqualTo(until == UniqueUntil.STARTED);
  }

  @ParameterizedTest
  @EnumSource(
      value = AttemptWrite.class,
      names = {"FAIL", "SNOOZE", "RELEASE", "HEARTBEAT"})
  void aJobThatWaitsForItsNextAttemptHoldsItsKey(AttemptWrite write) throws SQLException {
    enqueue(UniqueUntil.DEAD);
    write.writeOne(fixture, fixture.claimOne(LEASE));

    assertThat(isFree()).isFalse();
  }

  @Test
  void aRescuedJobHoldsItsKey() {
    enqueue(UniqueUntil.DEAD);
    fixture.claimOne(EXPIRED);
    store.rescue(Duration.ZERO, 10);

    assertThat(isFree()).isFalse();
  }

  /**
   * If a retried job took its key again, and another job had taken the key in the meantime, the
   * whole batch would fail.
   */
  @Test
  void aKeyThatTheClaimFreedIsNotTakenAgainByTheRetry() {
    JobId first = enqueue(UniqueUntil.STARTED);
    Execution attempt = fixture.claimOne(LEASE);
    JobId second = enqueue(UniqueUntil.STARTED);

    assertThat(fixture.fail(List.of(attempt), false))
        .extracting(Ended::verdict)
        .containsExactly(Verdict.DONE);
    assertThat(fixture.statusOf(first)).isEqualTo(JobStatus.PENDING);
    assertThat(fixture.statusOf(second)).isEqualTo(JobStatus.PENDING);
  }

  @ParameterizedTest
  @EnumSource
  void deadJobFreesItsKeyUnlessItIsHeldUntilTheEnd(UniqueUntil until) {
    enqueue(until);
    fixture.fail(List.of(fixture.claimOne(LEASE)), true);

    assertThat(isFree()).isEqualTo(until != UniqueUntil.ENDED);
  }

  @ParameterizedTest
  @EnumSource
  void jobThatIsDeadAfterLostLeasesFreesItsKey(UniqueUntil until) {
    enqueue(until);
    for (int attempt = 1; attempt < 3; attempt++) {
      fixture.claimOne(EXPIRED);
      store.rescue(Duration.ZERO, 10);
    }
    fixture.claimOne(EXPIRED);
    assertThat(store.rescue(Duration.ZERO, 10))
        .extracting(Rescued::status)
        .containsExactly(JobStatus.DEAD);

    assertThat(isFree()).isEqualTo(until != UniqueUntil.ENDED);
  }

  @ParameterizedTest
  @EnumSource
  void completionFreesTheKey(UniqueUntil until) {
    enqueue(until);
    store.complete(List.of(fixture.claimOne(LEASE)));

    assertThat(isFree()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void cancellationFreesTheKey(UniqueUntil until) {
    JobId job = enqueue(until);
    assertThat(admin.cancel(List.of(job))).containsExactly(CancelResult.CANCELLED);

    assertThat(isFree()).isTrue();
  }

  @Test
  void pruningFreesTheKeyThatADeadJobKept() {
    JobId job = enqueue(UniqueUntil.ENDED);
    fixture.fail(List.of(fixture.claimOne(LEASE)), true);
    assertThat(admin.prune(List.of(job))).containsExactly(PruneResult.PRUNED);

    assertThat(isFree()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"DEAD", "ENDED"})
  void redriveTakesTheKeyAgain(UniqueUntil until) {
    JobId job = die(until);

    assertThat(admin.redrive(List.of(job))).containsExactly(new RedriveResult.Redriven());

    assertThat(isFree()).isFalse();
  }

  @Test
  void redriveSkipsAJobWhoseKeyIsHeldAndRedrivesTheOthers() {
    JobId first = die(UniqueUntil.DEAD);
    JobId second = die(UniqueUntil.DEAD);
    JobId holder = enqueue(UniqueUntil.DEAD);
    fixture.claimOne(LEASE);
    JobId other = fixture.dead(1).get(0);

    assertThat(admin.redrive(List.of(first, second, other)))
        .containsExactly(
            new RedriveResult.Conflict(holder),
            new RedriveResult.Conflict(holder),
            new RedriveResult.Redriven());
    assertThat(fixture.statusOf(first)).isEqualTo(JobStatus.DEAD);
  }

  @Test
  void redrivesOneOfSeveralDeadJobsOfAKey() {
    JobId older = die(UniqueUntil.DEAD);
    JobId younger = die(UniqueUntil.DEAD);

    assertThat(admin.redrive(List.of(younger, older)))
        .containsExactly(new RedriveResult.Conflict(older), new RedriveResult.Redriven());
    assertThat(isFree()).isFalse();
  }

  private JobId die(UniqueUntil until) {
    JobId job = enqueue(until);
    fixture.fail(List.of(fixture.claimOne(LEASE)), true);
    return job;
  }

  private JobId enqueue(UniqueUntil until) {
    return store.enqueue(List.of(unique(until))).get(0).jobId();
  }

  /**
   * Tries to enqueue another job with the key and returns whether it took the key, which it then
   * keeps.
   */
  private boolean isFree() {
    try {
      enqueue(UniqueUntil.DEAD);
      return true;
    } catch (StoreException taken) {
      assertThat(taken.sqlState()).contains("23505");
      return false;
    }
  }

  private static NewJob unique(UniqueUntil until) {
    return EnqueuePromises.job("1").unique(new UniqueKey("key", "label", until));
  }
}
