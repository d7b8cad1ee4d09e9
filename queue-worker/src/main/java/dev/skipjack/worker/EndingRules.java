package dev.skipjack.worker;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Turns what a handler answered, or threw, into what is written about the attempt. */
final class EndingRules {

  private EndingRules() {}

  /**
   * @param type null if there is no handler, which {@code thrown} says too
   * @param outcome null if the handler threw, or answered null
   * @param thrown null unless it threw
   */
  static Ending decide(
      Attempt attempt,
      @Nullable JobType<?> type,
      @Nullable Outcome outcome,
      @Nullable Throwable thrown,
      boolean timedOut,
      RandomGenerator random) {
    boolean completed = thrown == null && outcome instanceof Outcome.Completed;
    if (attempt.isCompletionWritten()) {
      JobError error =
          completed && !timedOut
              ? JobError.of(
                  "The completion was rolled back: the transaction that was given to completeIn did not commit.")
              : afterCompletion(attempt, type, outcome, thrown, timedOut);
      return new Ending.CompletedByHandler(
          new Ending.Failed(error, backoff(attempt, type, random), false), completed);
    }
    if (timedOut) {
      return new Ending.Failed(timeout(type, thrown), backoff(attempt, type, random), false);
    }
    if (thrown != null) {
      return new Ending.Failed(describe(thrown), backoff(attempt, type, random), false);
    }
    if (outcome == null) {
      return new Ending.Failed(answeredNull(attempt), backoff(attempt, type, random), false);
    }
    return outcome.fold(
        done -> new Ending.Completed(),
        retried -> new Ending.Failed(JobError.of(retried.reason()), retried.delay(), false),
        snoozed -> new Ending.GivenBack(ExecutionStatus.SNOOZED, snoozed.delay()),
        dead -> new Ending.Failed(JobError.of(dead.reason()), Duration.ZERO, true));
  }

  private static JobError afterCompletion(
      Attempt attempt,
      @Nullable JobType<?> type,
      @Nullable Outcome outcome,
      @Nullable Throwable thrown,
      boolean timedOut) {
    if (timedOut) {
      return timeout(type, thrown);
    }
    if (thrown != null) {
      return describe(thrown);
    }
    return outcome == null
        ? answeredNull(attempt)
        : JobError.of(
            "Handler of kind '%s' answered %s after completeIn, and the completion was rolled back. Answer completed() once completeIn was called."
                .formatted(attempt.job().kind(), outcome.getClass().getSimpleName()));
  }

  private static JobError answeredNull(Attempt attempt) {
    return JobError.of(
        "Handler of kind '%s' returned null. Return an Outcome, Outcome.completed() for instance."
            .formatted(attempt.job().kind()));
  }

  /** Keeps the stack of what the interrupt made the handler throw: it shows where it hung. */
  private static JobError timeout(@Nullable JobType<?> type, @Nullable Throwable thrown) {
    String message =
        "The handler was interrupted because its timeout%s is over."
            .formatted(type == null ? "" : type.timeout().map(t -> " of " + t).orElse(""));
    return thrown == null
        ? JobError.of(message)
        : new JobError(thrown.getClass().getName(), message, describe(thrown).stack());
  }

  private static JobError describe(Throwable thrown) {
    try {
      return JobError.of(thrown);
    } catch (Throwable again) {
      // A stack overflow or an exhausted heap may strike twice; the class is worth keeping.
      return new JobError(thrown.getClass().getName(), "Could not be described.", null);
    }
  }

  private static Duration backoff(
      Attempt attempt, @Nullable JobType<?> type, RandomGenerator random) {
    Backoff backoff = type == null ? Backoff.standard() : type.backoff();
    try {
      return Backoff.clamp(backoff.after(attempt.job().attempt(), random));
    } catch (Throwable broken) {
      // The user's own function; the failure must be written all the same.
      return Backoff.standard().after(attempt.job().attempt(), random);
    }
  }
}
