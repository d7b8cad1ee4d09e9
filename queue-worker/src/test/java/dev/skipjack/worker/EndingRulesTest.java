package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
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

  /** Before it is cut, or half a secret could stay at the end. */
  @Test
  void whatAHandlerSaysIsRedactedAndTheClassStays() {
    String secret = "k".repeat(8_192 - 10) + "secret-4711-4711";
    ErrorRedactor redactor = text -> text.replaceAll("secret-[0-9-]+", "***");

    JobError error =
        ((Ending.Failed) redacting(redactor, null, new IllegalStateException(secret))).error();

    assertThat(error.errorClass()).isEqualTo(IllegalStateException.class.getName());
    assertThat(error.message()).endsWith("***").doesNotContain("secret");
    assertThat(error.stack()).contains("EndingRulesTest").doesNotContain("secret");
    assertThat(redacting(redactor, Outcome.cancelled("secret-1"), null))
        .isEqualTo(new Ending.Cancelled("***"));
    assertThat(redacting(redactor, Outcome.dead("secret-1"), null))
        .isEqualTo(new Ending.Failed(JobError.of("***"), Duration.ZERO, true));
    assertThat(redacting(redactor, Outcome.retry(Duration.ZERO, "secret-1"), null))
        .isEqualTo(new Ending.Failed(JobError.of("***"), Duration.ZERO, false));
  }

  @Test
  @SuppressWarnings("NullAway") // what users may do all the same
  void aRedactorThatFailsCostsNoOutcomeAndTellsNothing() {
    for (ErrorRedactor broken :
        List.<ErrorRedactor>of(
            text -> {
              throw new StackOverflowError("no " + text);
            },
            text -> null)) {
      JobError error =
          ((Ending.Failed) redacting(broken, null, new IllegalStateException("secret"))).error();

      assertThat(error)
          .isEqualTo(
              new JobError(
                  IllegalStateException.class.getName(), Redaction.WITHHELD, Redaction.WITHHELD));
    }
  }

  private Ending redacting(
      ErrorRedactor redactor, @Nullable Outcome outcome, @Nullable Throwable thrown) {
    return new EndingRules(
            EndingRulesTest::write, () -> new SplittableRandom(1), new Redaction(redactor))
        .decide(attempt, null, outcome, thrown, false);
  }

  @Test
  void outcomesBecomeEndings() {
    assertThat(decide(Outcome.completed(), null, false)).isEqualTo(Ending.Completed.PLAIN);
    assertThat(decide(Outcome.completed(42), null, false)).isEqualTo(new Ending.Completed("<42>"));
    assertThat(decide(Outcome.cancelled("too late"), null, false))
        .isEqualTo(new Ending.Cancelled("too late"));
    assertThat(decide(Outcome.snooze(Instant.EPOCH), null, false))
        .isEqualTo(
            new Ending.GivenBack(ExecutionStatus.SNOOZED, Duration.ofSeconds(1), Instant.EPOCH));
    assertThat(decide(Outcome.snooze(Duration.ZERO), null, false))
        .isEqualTo(Ending.GivenBack.after(ExecutionStatus.SNOOZED, Duration.ofSeconds(1)));
    assertThat(decide(Outcome.snooze(Duration.ofSeconds(3)), null, false))
        .isEqualTo(Ending.GivenBack.after(ExecutionStatus.SNOOZED, Duration.ofSeconds(3)));

    Ending.Failed retried = failed(Outcome.retry(Duration.ofSeconds(3), "later"), null, false);
    assertThat(retried.delay()).isEqualTo(Duration.ofSeconds(3));
    assertThat(retried.error().message()).isEqualTo("later");
    assertThat(retried.isFinal()).isFalse();

    assertThat(failed(Outcome.dead("never"), null, false).isFinal()).isTrue();
  }

  @Test
  void payloadClassThatCannotBeReadEndsTheJobWhateverTheRuleForRetries() {
    PayloadException permanent = PayloadException.permanent("no constructor", null);

    assertThat(failed(null, permanent, false).isFinal()).isTrue();
    assertThat(failed(null, permanent, false).error().message()).isEqualTo("no constructor");
    assertThat(failed(null, new PayloadException("misfit", null), false).isFinal()).isFalse();
  }

  private static String write(String kind, Object result) {
    if (result.equals("poison")) {
      throw new PayloadException("Result of kind '%s' cannot be written.".formatted(kind), null);
    }
    return "<" + result + ">";
  }

  @Test
  void aResultThatCannotBeWrittenIsAFailureThatSaysSo() {
    Ending.Failed ending = failed(Outcome.completed("poison"), null, false);

    assertThat(ending.error().message()).isEqualTo("Result of kind 'k' cannot be written.");
    assertThat(ending.isFinal()).isFalse();
  }

  @Test
  void theTypesRulesDecideOverWhatWasThrown() {
    JobType<String> type =
        TYPE.deadOn(IllegalArgumentException.class)
            .retryOn(IllegalStateException.class, Backoff.fixed(Duration.ofHours(1)));

    Ending dead = rules.decide(attempt, type, null, new NumberFormatException("x"), false);
    Ending later = rules.decide(attempt, type, null, new IllegalStateException("x"), false);
    Ending usual = rules.decide(attempt, type, null, new Exception("x"), false);

    assertThat(((Ending.Failed) dead).isFinal()).isTrue();
    assertThat(((Ending.Failed) later).delay()).isEqualTo(Duration.ofHours(1));
    assertThat(((Ending.Failed) later).isFinal()).isFalse();
    assertThat(((Ending.Failed) usual).delay()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void aStageOfAStageIsAFailureThatSaysSo() {
    Ending.Failed ending =
        failed(Outcome.async(CompletableFuture.completedFuture(null)), null, false);

    assertThat(ending.error().message()).contains("thenCompose");
  }

  @Test
  void nullIsAFailureThatSaysSo() {
    Ending.Failed ending = failed(null, null, false);

    assertThat(ending.error().message()).contains("'k' returned null");
    assertThat(ending.delay()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void anythingThrownIsAFailureWithItsClass() {
    Ending.Failed ending = failed(null, new StackOverflowError(), false);

    assertThat(ending.error().errorClass()).isEqualTo("java.lang.StackOverflowError");
  }

  @Test
  void anErrorThatCannotBeDescribedKeepsItsClass() {
    Ending.Failed ending = failed(null, new Indescribable(), false);

    assertThat(ending.error().errorClass()).isEqualTo(Indescribable.class.getName());
  }

  @Test
  void afterATimeoutEvenSuccessIsAFailure() {
    Ending.Failed ending = failed(Outcome.completed(), null, true);

    assertThat(ending.error().message()).contains("timeout of PT2S is over");
  }

  @Test
  void aBackoffThatThrowsIsReplaced() {
    JobType<String> broken =
        TYPE.retry(
            (number, random) -> {
              throw new IllegalStateException("no idea");
            });

    Ending ending = rules.decide(attempt, broken, null, new Exception("boom"), false);

    assertThat(((Ending.Failed) ending).delay())
        .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(15));
  }

  @Test
  void afterCompleteInTheDatabaseIsAsked() {
    attempt.completionWritten();

    Ending.CompletedByHandler clean = completedByHandler(Outcome.completed(), null);
    assertThat(clean.clean()).isTrue();
    assertThat(clean.otherwise().error().message()).startsWith("The completion was rolled back");

    Ending.CompletedByHandler thrown = completedByHandler(null, new Exception("boom"));
    assertThat(thrown.clean()).isFalse();
    assertThat(thrown.otherwise().error().message()).isEqualTo("boom");

    Ending.CompletedByHandler other = completedByHandler(Outcome.snooze(Duration.ZERO), null);
    assertThat(other.clean()).isFalse();
    assertThat(other.otherwise().error().message()).contains("Snoozed after completeIn");
  }

  private Ending decide(@Nullable Outcome outcome, @Nullable Throwable thrown, boolean timedOut) {
    return rules.decide(attempt, TYPE, outcome, thrown, timedOut);
  }

  private Ending.Failed failed(
      @Nullable Outcome outcome, @Nullable Throwable thrown, boolean timedOut) {
    return (Ending.Failed) decide(outcome, thrown, timedOut);
  }

  private Ending.CompletedByHandler completedByHandler(
      @Nullable Outcome outcome, @Nullable Throwable thrown) {
    return (Ending.CompletedByHandler) decide(outcome, thrown, false);
  }

  private static final class Indescribable extends Exception {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError();
    }
  }

  @Test
  void anAttemptWhoseCompletionWasPostponedIsReleasedAlsoIfTheExceptionWasWrapped() {
    StoreException refused = new StoreException("no partition", new SQLException("", "23514"));
    attempt.completionPostponed(refused);

    for (Throwable thrown : List.of(refused, new IllegalStateException("rolled back", refused))) {
      assertThat(rules.decide(attempt, TYPE, null, thrown, false))
          .isEqualTo(Ending.GivenBack.after(ExecutionStatus.RELEASED, Duration.ofSeconds(7)));
    }
  }

  @Test
  void aHandlerThatFailsForAnotherReasonAfterAPostponedCompletionUsesAnAttempt() {
    attempt.completionPostponed(new StoreException("no partition", new SQLException("", "23514")));
    Exception circular = new IllegalStateException("boom");
    circular.initCause(new IllegalStateException("cause", circular));

    assertThat(rules.decide(attempt, TYPE, null, circular, false))
        .isInstanceOf(Ending.Failed.class);
  }
}
