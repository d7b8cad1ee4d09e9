package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Suspension;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndingRulesTest {

  private static final JobType<String> TYPE =
      JobType.of("k", String.class)
          .retry(Backoff.fixed(Duration.ofSeconds(7)))
          .timeout(Duration.ofSeconds(2));

  private final EndingRules rules =
      new EndingRules(
          EndingRulesTest::write, () -> new SplittableRandom(1), new Redaction(ErrorRedactor.NONE));

  private final Attempt attempt = Attempts.claimed(Duration.ofMinutes(1));

  /** Texts must be redacted before they are truncated, or half a secret could remain at the end. */
  @Test
  void textsOfAHandlerAreRedactedAndTheClassIsKept() {
    String secret = "k".repeat(8_192 - 10) + "secret-4711-4711";
    ErrorRedactor redactor = text -> text.replaceAll("secret-[0-9-]+", "***");

    JobError error =
        ((Ending.Failed) redacting(redactor, threw(new IllegalStateException(secret)))).error();

    assertThat(error.errorClass()).isEqualTo(IllegalStateException.class.getName());
    assertThat(error.message()).endsWith("***").doesNotContain("secret");
    assertThat(error.stack()).contains("EndingRulesTest").doesNotContain("secret");
    assertThat(redacting(redactor, returned(Outcome.cancelled("secret-1"))))
        .isEqualTo(new Ending.Cancelled("***"));
    assertThat(redacting(redactor, returned(Outcome.dead("secret-1"))))
        .isEqualTo(new Ending.Failed(JobError.of("***"), Duration.ZERO, true));
    assertThat(redacting(redactor, returned(Outcome.retry(Duration.ZERO, "secret-1"))))
        .isEqualTo(new Ending.Failed(JobError.of("***"), Duration.ZERO, false));
  }

  @Test
  @SuppressWarnings("NullAway") // redactors may return null
  void failingRedactorLosesNoOutcomeAndRevealsNoText() {
    for (ErrorRedactor broken :
        List.<ErrorRedactor>of(
            text -> {
              throw new StackOverflowError("no " + text);
            },
            text -> null)) {
      JobError error =
          ((Ending.Failed) redacting(broken, threw(new IllegalStateException("secret")))).error();

      assertThat(error)
          .isEqualTo(
              new JobError(
                  IllegalStateException.class.getName(), Redaction.WITHHELD, Redaction.WITHHELD));
    }
  }

  private Ending redacting(ErrorRedactor redactor, RunResult result) {
    return new EndingRules(
            EndingRulesTest::write, () -> new SplittableRandom(1), new Redaction(redactor))
        .decide(attempt, null, result);
  }

  @Test
  void outcomesBecomeEndings() {
    assertThat(decide(returned(Outcome.completed()))).isEqualTo(Ending.Completed.PLAIN);
    assertThat(decide(returned(Outcome.completed(42)))).isEqualTo(new Ending.Completed("<42>"));
    assertThat(decide(returned(Outcome.cancelled("too late"))))
        .isEqualTo(new Ending.Cancelled("too late"));
    assertThat(decide(returned(Outcome.snooze(Instant.EPOCH))))
        .isEqualTo(new Ending.Snoozed(Duration.ofSeconds(1), Instant.EPOCH));
    assertThat(decide(returned(Outcome.snooze(Duration.ZERO))))
        .isEqualTo(new Ending.Snoozed(Duration.ofSeconds(1), null));
    assertThat(decide(returned(Outcome.snooze(Duration.ofSeconds(3)))))
        .isEqualTo(new Ending.Snoozed(Duration.ofSeconds(3), null));

    Ending.Failed retried = failed(returned(Outcome.retry(Duration.ofSeconds(3), "later")));
    assertThat(retried.delay()).isEqualTo(Duration.ofSeconds(3));
    assertThat(retried.error().message()).isEqualTo("later");
    assertThat(retried.isFinal()).isFalse();

    assertThat(failed(returned(Outcome.dead("never"))).isFinal()).isTrue();
  }

  @Test
  void suspensionDecidesWhateverTheHandlerReturnsOrThrows() {
    Suspension nap = new Suspension("nap", true, null, Instant.parse("2030-01-01T00:00:00Z"));
    attempt.suspend(nap);

    for (RunResult result :
        List.of(
            threw(new SuspendedError("nap")),
            threw(new IllegalStateException("wrapped", new SuspendedError("nap"))),
            returned(Outcome.completed(42)),
            returned(Outcome.dead("no")))) {
      assertThat(decide(result)).isEqualTo(Ending.Snoozed.until(nap));
    }
    assertThat(decide(new RunResult.TimedOut(threw(new SuspendedError("nap")))))
        .isInstanceOf(Ending.Failed.class);
  }

  @Test
  void payloadClassThatCannotBeReadEndsTheJobDespiteTheRuleForRetries() {
    PayloadException permanent = PayloadException.permanent("no constructor", null);

    assertThat(failed(threw(permanent)).isFinal()).isTrue();
    assertThat(failed(threw(permanent)).error().message()).isEqualTo("no constructor");
    assertThat(failed(threw(new PayloadException("misfit", null))).isFinal()).isFalse();
  }

  private static String write(String kind, Object result) {
    if (result.equals("poison")) {
      throw new PayloadException("Result of kind '%s' cannot be written.".formatted(kind), null);
    }
    return "<" + result + ">";
  }

  @Test
  void aResultThatCannotBeEncodedIsAFailureWithAReason() {
    Ending.Failed ending = failed(returned(Outcome.completed("poison")));

    assertThat(ending.error().message()).isEqualTo("Result of kind 'k' cannot be written.");
    assertThat(ending.isFinal()).isFalse();
  }

  @Test
  void rulesOfTheTypeApplyToTheThrownException() {
    JobType<String> type =
        TYPE.deadOn(IllegalArgumentException.class)
            .retryOn(IllegalStateException.class, Backoff.fixed(Duration.ofHours(1)));

    Ending dead = rules.decide(attempt, type, threw(new NumberFormatException("x")));
    Ending later = rules.decide(attempt, type, threw(new IllegalStateException("x")));
    Ending usual = rules.decide(attempt, type, threw(new Exception("x")));

    assertThat(((Ending.Failed) dead).isFinal()).isTrue();
    assertThat(((Ending.Failed) later).delay()).isEqualTo(Duration.ofHours(1));
    assertThat(((Ending.Failed) later).isFinal()).isFalse();
    assertThat(((Ending.Failed) usual).delay()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void aStageOfAStageIsAFailureWithAReason() {
    Ending.Failed ending = failed(returned(Outcome.async(CompletableFuture.completedFuture(null))));

    assertThat(ending.error().message()).contains("thenCompose");
  }

  @Test
  void nullIsAFailureWithAReason() {
    Ending.Failed ending = failed(returned(null));

    assertThat(ending.error().message()).contains("'k' returned null");
    assertThat(ending.delay()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void anythingThrownIsAFailureWithItsClass() {
    Ending.Failed ending = failed(threw(new StackOverflowError()));

    assertThat(ending.error().errorClass()).isEqualTo("java.lang.StackOverflowError");
  }

  @Test
  void anErrorThatCannotBeDescribedKeepsItsClass() {
    Ending.Failed ending = failed(threw(new Indescribable()));

    assertThat(ending.error().errorClass()).isEqualTo(Indescribable.class.getName());
  }

  @Test
  void afterATimeoutEvenSuccessIsAFailure() {
    Ending.Failed ending = failed(new RunResult.TimedOut(returned(Outcome.completed())));

    assertThat(ending.error().message()).contains("timeout of PT2S has passed");
  }

  @Test
  void aBackoffThatThrowsIsReplaced() {
    JobType<String> broken =
        TYPE.retry(
            (number, random) -> {
              throw new IllegalStateException("no idea");
            });

    Ending ending = rules.decide(attempt, broken, threw(new Exception("boom")));

    assertThat(((Ending.Failed) ending).delay())
        .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(15));
  }

  @Test
  void endingAfterCompleteInDependsOnTheDatabase() {
    attempt.completion().noteWritten();

    Ending.CompletedByHandler clean = completedByHandler(returned(Outcome.completed()));
    assertThat(clean.clean()).isTrue();
    assertThat(clean.otherwise().error().message()).startsWith("The completion was rolled back");

    Ending.CompletedByHandler thrown = completedByHandler(threw(new Exception("boom")));
    assertThat(thrown.clean()).isFalse();
    assertThat(thrown.otherwise().error().message()).isEqualTo("boom");

    Ending.CompletedByHandler other = completedByHandler(returned(Outcome.snooze(Duration.ZERO)));
    assertThat(other.clean()).isFalse();
    assertThat(other.otherwise().error().message()).contains("Snoozed after completeIn");
  }

  private Ending decide(RunResult result) {
    return rules.decide(attempt, TYPE, result);
  }

  private Ending.Failed failed(RunResult result) {
    return (Ending.Failed) decide(result);
  }

  private Ending.CompletedByHandler completedByHandler(RunResult result) {
    return (Ending.CompletedByHandler) decide(result);
  }

  private static RunResult returned(@Nullable Outcome outcome) {
    return new RunResult.Returned(outcome);
  }

  private static RunResult threw(Throwable thrown) {
    return new RunResult.Threw(thrown);
  }

  private static final class Indescribable extends Exception {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError();
    }
  }

  @Test
  void attemptWithAPostponedCompletionIsReleasedEvenIfTheExceptionWasWrapped() {
    StoreException refused = new StoreException("no partition", new SQLException("", "23514"));
    attempt.completion().notePostponed(refused);

    for (Throwable thrown : List.of(refused, new IllegalStateException("rolled back", refused))) {
      assertThat(rules.decide(attempt, TYPE, threw(thrown)))
          .isEqualTo(Ending.Released.after(Duration.ofSeconds(7)));
    }
  }

  @Test
  void aHandlerThatFailsForAnotherReasonAfterAPostponedCompletionUsesAnAttempt() {
    attempt
        .completion()
        .notePostponed(new StoreException("no partition", new SQLException("", "23514")));
    Exception circular = new IllegalStateException("boom");
    circular.initCause(new IllegalStateException("cause", circular));

    assertThat(rules.decide(attempt, TYPE, threw(circular))).isInstanceOf(Ending.Failed.class);
  }
}
