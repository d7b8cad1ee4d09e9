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
    return UniqueCheck.check(run.checked()).size();
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
  void aJobThatWasOverWhenItWasToldOfHarmsNobody() {
    job(7, "completed");
    acknowledged(12, 7); // the answer was long under way
    job(8, "pending");
    acknowledged(11, 8);
    assertThat(violations()).isZero();
  }
}
