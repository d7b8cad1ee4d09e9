package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Jobs of one unique key; one that is over ended at ten. */
class UniqueCheckTest {

  private final MadeUpRun run = new MadeUpRun();

  private void acknowledged(double second, long job) {
    run.event(second, EventType.ACKED, "k" + job, job, 0, "created");
  }

  private void job(long id, String status) {
    run.job(id, status, "k" + id, "u", 0, 0);
  }

  private int violations() {
    return UniqueCheck.check(run.checked(), Pace.FORKED).size();
  }

  @Test
  void anAttemptIsALifeThoughNobodyWasTold() {
    job(7, "completed");
    acknowledged(2, 7);
    job(8, "completed");
    assertThat(violations()).isZero();

    run.attempt(80, 8, 1, "succeeded", 9, 10);
    assertThat(violations()).isEqualTo(1);
  }

  @Test
  void whatIsNotOverHoldsItsKeyToTheEnd() {
    job(7, "pending");
    acknowledged(2, 7);
    job(8, "pending");
    acknowledged(11, 8);
    assertThat(violations()).isEqualTo(1);
  }

  @Test
  void aLongLifeMeetsAllThatBeginWithinItInWhateverOrderTheyAreRead() {
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
  void oneAfterTheOtherIsRightInWhateverOrderTheyAreRead() {
    job(8, "pending");
    acknowledged(10, 8);
    job(7, "completed");
    acknowledged(2, 7);
    assertThat(violations()).isZero();
  }

  @Test
  void theHolderThatAnEnqueueIsToldLivedWhenItAsked() {
    job(7, "completed");
    run.event(9, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    run.event(9.2, EventType.ASKED, "other", 0, 0, "unique");
    run.event(9.5, EventType.ACKED, "other", 7, 0, "existing");
    assertThat(violations()).isZero(); // clocks of processes differ by less

    run.event(9.4, EventType.ASKED, "late", 0, 0, "unique");
    run.event(9.5, EventType.ACKED, "late", 7, 0, "created");
    assertThat(violations()).isZero();

    run.event(9.5, EventType.ACKED, "late", 7, 0, "existing");
    assertThat(violations()).isEqualTo(1);
  }

  @Test
  void anIdempotencyKeyLeadsToWhatIsLongOver() {
    run.job(7, "completed", "k7", "", 0, 0);
    run.event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    run.event(9, EventType.ASKED, "k7", 0, 0, "plain keyed");
    run.event(9.5, EventType.ACKED, "k7", 7, 0, "existing");
    assertThat(violations()).isZero();
  }

  /** By the database it is over with the statement, for others with the commit. */
  @Test
  void whatNobodyWasToldIsOverMayStillHoldItsKey() {
    job(7, "completed");
    run.event(11, EventType.ASKED, "other", 0, 0, "unique");
    run.event(11.1, EventType.ACKED, "other", 7, 0, "existing");
    assertThat(violations()).isZero();
  }

  @Test
  void clocksThatMayDifferProveNoOverlap() {
    job(7, "completed");
    acknowledged(2, 7);
    job(8, "pending");
    acknowledged(9.9, 8);
    assertThat(violations()).isEqualTo(1);

    run.clockError = 200_000;
    assertThat(violations()).isZero();
  }

  @Test
  void aJobThatWasOverWhenItWasToldOfHarmsNobody() {
    job(7, "completed");
    acknowledged(12, 7); // the answer was long under way
    job(8, "pending");
    acknowledged(11, 8);
    assertThat(violations()).isZero();
  }
}
