package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OutcomeTest {

  @Test
  void outcomeCallsTheCaseOfItsType() {
    assertThat(name(Outcome.completed())).isEqualTo("completed null");
    assertThat(name(Outcome.completed(42))).isEqualTo("completed 42");
    assertThat(name(Outcome.completed(null))).isEqualTo("completed null");
    assertThat(name(Outcome.retry(Duration.ofSeconds(1))))
        .isEqualTo("retried " + Outcome.NO_REASON);
    assertThat(name(Outcome.snooze(Instant.EPOCH))).isEqualTo("snoozed " + Instant.EPOCH);
    assertThat(name(Outcome.cancelled("too late"))).isEqualTo("cancelled too late");
    assertThat(name(Outcome.async(new CompletableFuture<>()))).isEqualTo("async false");
    assertThat(name(Outcome.retry(Duration.ofSeconds(1), "later"))).isEqualTo("retried later");
    assertThat(name(Outcome.snooze(Duration.ofSeconds(1)))).isEqualTo("snoozed PT1S");
    assertThat(name(Outcome.dead("never"))).isEqualTo("dead never");
  }

  @Test
  void clampsDelaysToTheirRange() {
    assertThat(name(Outcome.snooze(Duration.ofSeconds(Long.MIN_VALUE)))).isEqualTo("snoozed PT0S");
    assertThat(name(Outcome.snooze(Duration.ofSeconds(Long.MAX_VALUE))))
        .isEqualTo("snoozed " + Backoff.LONGEST);
  }

  @Test
  void anExceptionWithABrokenMessageStillBecomesAnError() {
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
    return outcome.accept(
        new Outcome.Cases<>() {
          @Override
          public String completed(Outcome.Completed completed) {
            return "completed " + completed.result();
          }

          @Override
          public String retried(Outcome.Retried retried) {
            return "retried " + retried.reason();
          }

          @Override
          public String snoozed(Outcome.Snoozed snoozed) {
            return "snoozed " + (snoozed.until() == null ? snoozed.delay() : snoozed.until());
          }

          @Override
          public String cancelled(Outcome.Cancelled cancelled) {
            return "cancelled " + cancelled.reason();
          }

          @Override
          public String dead(Outcome.Dead dead) {
            return "dead " + dead.reason();
          }

          @Override
          public String async(Outcome.Async async) {
            return "async " + async.stage().toCompletableFuture().isDone();
          }
        });
  }

  @Test
  @SuppressWarnings("NullAway") // callers may not check nulls
  void aMissingReasonIsReplacedWithADefault() {
    assertThat(new Outcome.Dead(null).reason()).isEqualTo("The handler gave no reason.");
    assertThat(new Outcome.Cancelled(null).reason()).isEqualTo("The handler gave no reason.");
    assertThat(new Outcome.Retried(Duration.ZERO, null).reason())
        .isEqualTo("The handler gave no reason.");
  }
}
