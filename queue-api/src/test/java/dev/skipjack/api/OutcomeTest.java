package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutcomeTest {

  @Test
  void foldsToTheFunctionOfWhatWasAnswered() {
    assertThat(name(Outcome.completed())).isEqualTo("completed");
    assertThat(name(Outcome.retry(Duration.ofSeconds(1), "later"))).isEqualTo("retried later");
    assertThat(name(Outcome.snooze(Duration.ofSeconds(1)))).isEqualTo("snoozed PT1S");
    assertThat(name(Outcome.dead("never"))).isEqualTo("dead never");
  }

  @Test
  void clampsDelaysSoThatNoneCanMakeTheWriteFail() {
    assertThat(name(Outcome.snooze(Duration.ofSeconds(Long.MIN_VALUE)))).isEqualTo("snoozed PT0S");
    assertThat(name(Outcome.snooze(Duration.ofSeconds(Long.MAX_VALUE))))
        .isEqualTo("snoozed " + Backoff.LONGEST);
  }

  @Test
  void errorsOfBrokenExceptionsAreStillErrors() {
    RuntimeException broken =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException();
          }
        };

    JobError error = JobError.of(broken);

    assertThat(error.message()).contains("could not be read");
    assertThat(error.errorClass()).contains("OutcomeTest");
  }

  private static String name(Outcome outcome) {
    return outcome.fold(
        completed -> "completed",
        retried -> "retried " + retried.reason(),
        snoozed -> "snoozed " + snoozed.delay(),
        dead -> "dead " + dead.reason());
  }
}
