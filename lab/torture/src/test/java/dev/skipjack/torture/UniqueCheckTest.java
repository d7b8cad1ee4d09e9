package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests jobs with the same unique key. Those that are completed ended at 10. */
class UniqueCheckTest {

  private final MadeUpRun run = new MadeUpRun();

  private void acknowledged(double second, long job) {
    run.event(second, EventType.ACKNOWLEDGED, "k" + job, job, 0, "created");
  }

  private void job(long id, String status) {
    run.job(id, status, "k" + id, "u", 0, 0);
  }

  private int violations() {
    return UniqueCheck.check(run.checked(), Pace.FORKED).size();
  }

  @Test
  void aJobWithoutAcknowledgementIsLiveFromItsFirstAttempt() {
    job(7, "completed");
    acknowledged(2, 7);
    job(8, "completed");
    assertThat(violations()).isZero();

    run.attempt(80, 8, 1, "succeeded", 9, 10);
    assertThat(violations()).isEqualTo(1);
  }

  @Test
  void aJobThatHasNotEndedHoldsItsKeyUntilTheEndOfTheRun() {
    job(7, "pending");
    acknowledged(2, 7);
    job(8, "pending");
    acknowledged(11, 8);
    assertThat(violations()).isEqualTo(1);
  }

  @Test
  void aLongLivedJobOverlapsAllThatStartDuringItInAnyOrderOfRows() {
    job(9, "completed");
    acknowledged(9, 9);
    job(7, "pending");
    acknowledged(2, 7);
    job(8, "completed");
    acknowledged(3, 8);
    job(6, "pending");
    acknowledged(11, 6);
    assertThat(violations()).isEqualTo(3);
  }

  @Test
  void consecutiveHoldersAreNoViolationInAnyOrderOfRows() {
    job(8, "pending");
    acknowledged(10, 8);
    job(7, "completed");
    acknowledged(2, 7);
    assertThat(violations()).isZero();
  }

  @Test
  void aReturnedHolderThatCompletedBeforeTheRequestIsAViolation() {
    job(7, "completed");
    run.event(9, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    run.event(9.2, EventType.REQUESTED, "other", 0, 0, "unique");
    run.event(9.5, EventType.ACKNOWLEDGED, "other", 7, 0, "existing");
    assertThat(violations()).isZero(); // within the allowed difference of two clocks

    run.event(9.4, EventType.REQUESTED, "late", 0, 0, "unique");
    run.event(9.5, EventType.ACKNOWLEDGED, "late", 7, 0, "created");
    assertThat(violations()).isZero();

    run.event(9.5, EventType.ACKNOWLEDGED, "late", 7, 0, "existing");
    assertThat(violations()).isEqualTo(1);
  }

  @Test
  void anIdempotencyKeyMayReturnAJobThatCompletedBefore() {
    run.job(7, "completed", "k7", "", 0, 0);
    run.event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    run.event(9, EventType.REQUESTED, "k7", 0, 0, "plain keyed");
    run.event(9.5, EventType.ACKNOWLEDGED, "k7", 7, 0, "existing");
    assertThat(violations()).isZero();
  }

  /**
   * The end in the database is the time of the statement, but other transactions see it only after
   * the commit.
   */
  @Test
  void aJobWhoseCompletionWasNotAcknowledgedMayStillHoldItsKey() {
    job(7, "completed");
    run.event(11, EventType.REQUESTED, "other", 0, 0, "unique");
    run.event(11.1, EventType.ACKNOWLEDGED, "other", 7, 0, "existing");
    assertThat(violations()).isZero();
  }

  @Test
  void anOverlapWithinTheErrorOfTheClocksIsNoViolation() {
    job(7, "completed");
    acknowledged(2, 7);
    job(8, "pending");
    acknowledged(9.9, 8);
    assertThat(violations()).isEqualTo(1);

    run.clockError = 200_000;
    assertThat(violations()).isZero();
  }

  @Test
  void aJobThatEndedBeforeItsAcknowledgementIsNoViolation() {
    job(7, "completed");
    acknowledged(12, 7); // the acknowledgement arrived late
    job(8, "pending");
    acknowledged(11, 8);
    assertThat(violations()).isZero();
  }
}
