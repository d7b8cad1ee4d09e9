package dev.skipjack.worker;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.FailureRule;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.spi.Suspension;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Determines from the result of a run how its attempt ends. */
final class EndingRules {

  /**
   * The minimum delay of a snooze, so that a handler that asks for a time in the past is not called
   * in a tight loop.
   */
  private static final Duration LEAST_SNOOZE = Duration.ofSeconds(1);

  private final ResultWriter results;
  private final Supplier<? extends RandomGenerator> random;
  private final Redaction redaction;

  /** Encodes a handler's result as JSON. */
  @FunctionalInterface
  interface ResultWriter {
    /** Encodes the result. Exceptions of the codec are propagated. */
    String write(String kind, Object result);
  }

  EndingRules(
      ResultWriter results, Supplier<? extends RandomGenerator> random, Redaction redaction) {
    this.results = results;
    this.random = random;
    this.redaction = redaction;
  }

  /**
   * Returns the ending of an attempt.
   *
   * @param type the job type; null if the kind has no handler, in which case {@code result} is an
   *     exception that states this
   */
  Ending decide(Attempt attempt, @Nullable JobType<?> type, RunResult result) {
    if (attempt.completion().isWritten()) {
      return afterCompletion(attempt, type, result);
    }
    if (result instanceof RunResult.TimedOut timedOut) {
      return failed(attempt, type, timeout(type, timedOut));
    }
    Suspension suspension = attempt.suspension();
    if (suspension != null) {
      // The handler may have wrapped or caught the error that suspends it, or may run in a stage.
      return Ending.Snoozed.until(suspension);
    }
    if (result instanceof RunResult.Threw threw) {
      return threw(attempt, type, threw.thrown());
    }
    Outcome outcome = ((RunResult.Returned) result).outcome();
    return outcome == null
        ? failed(attempt, type, returnedNull(attempt))
        : outcome.accept(new Returned(attempt, type));
  }

  /**
   * Determines the endings of handlers that returned before their timeout and wrote no completion.
   */
  private final class Returned implements Outcome.Cases<Ending> {

    private final Attempt attempt;
    private final @Nullable JobType<?> type;

    Returned(Attempt attempt, @Nullable JobType<?> type) {
      this.attempt = attempt;
      this.type = type;
    }

    @Override
    public Ending completed(Outcome.Completed completed) {
      if (completed.result() == null) {
        return Ending.Completed.PLAIN;
      }
      try {
        return new Ending.Completed(results.write(attempt.job().kind(), completed.result()));
      } catch (Throwable unwritable) {
        return failed(attempt, type, unwritable);
      }
    }

    @Override
    public Ending retried(Outcome.Retried retried) {
      return new Ending.Failed(JobError.of(redaction.of(retried.reason())), retried.delay(), false);
    }

    @Override
    public Ending snoozed(Outcome.Snoozed snoozed) {
      Duration delay = snoozed.delay();
      return new Ending.Snoozed(
          delay.compareTo(LEAST_SNOOZE) < 0 ? LEAST_SNOOZE : delay, snoozed.until());
    }

    @Override
    public Ending cancelled(Outcome.Cancelled cancelled) {
      return new Ending.Cancelled(redaction.of(cancelled.reason()));
    }

    @Override
    public Ending dead(Outcome.Dead dead) {
      return new Ending.Failed(JobError.of(redaction.of(dead.reason())), Duration.ZERO, true);
    }

    @Override
    public Ending async(Outcome.Async async) {
      return failed(
          attempt,
          type,
          JobError.of(
              "Handler of kind '%s' returned a stage whose outcome is another stage. Compose the two with thenCompose."
                  .formatted(attempt.job().kind())));
    }
  }

  private Ending.Failed failed(Attempt attempt, @Nullable JobType<?> type, JobError error) {
    return new Ending.Failed(error, backoff(attempt, backoffOf(type)), false);
  }

  private Ending threw(Attempt attempt, @Nullable JobType<?> type, Throwable thrown) {
    if (attempt.completion().isPostponedBy(thrown)) {
      // The database refused the completion for a reason outside the handler, such as a missing
      // partition.
      return Ending.Released.after(backoff(attempt, backoffOf(type)));
    }
    return failed(attempt, type, thrown);
  }

  private Ending.Failed failed(Attempt attempt, @Nullable JobType<?> type, Throwable thrown) {
    FailureRule rule = type == null ? null : type.ruleFor(thrown);
    boolean hopeless = thrown instanceof PayloadException refused && refused.isPermanent();
    if (hopeless || rule instanceof FailureRule.Dead) {
      return new Ending.Failed(describe(thrown), Duration.ZERO, true);
    }
    Backoff backoff = rule instanceof FailureRule.Retry retry ? retry.backoff() : backoffOf(type);
    return new Ending.Failed(describe(thrown), backoff(attempt, backoff), false);
  }

  /**
   * Returns the ending of a handler that wrote its completion. The completion is valid unless its
   * transaction was rolled back.
   */
  private Ending afterCompletion(Attempt attempt, @Nullable JobType<?> type, RunResult result) {
    return new Ending.CompletedByHandler(
        failed(attempt, type, rolledBack(attempt, type, result)), result.isCompleted());
  }

  private JobError rolledBack(Attempt attempt, @Nullable JobType<?> type, RunResult result) {
    if (result instanceof RunResult.TimedOut timedOut) {
      return timeout(type, timedOut);
    }
    if (result instanceof RunResult.Threw threw) {
      return describe(threw.thrown());
    }
    if (result.isCompleted()) {
      return JobError.of(
          "The completion was rolled back: the transaction that was given to completeIn did not commit.");
    }
    Outcome outcome = ((RunResult.Returned) result).outcome();
    return outcome == null
        ? returnedNull(attempt)
        : JobError.of(
            "Handler of kind '%s' returned %s after completeIn, and the completion was rolled back. After completeIn, return completed()."
                .formatted(attempt.job().kind(), outcome.getClass().getSimpleName()));
  }

  private static JobError returnedNull(Attempt attempt) {
    return JobError.of(
        "Handler of kind '%s' returned null. Return an Outcome, for example Outcome.completed()."
            .formatted(attempt.job().kind()));
  }

  /**
   * Returns the error of a timeout. It includes the stack trace of the exception that the interrupt
   * caused, because that shows where the handler hung.
   */
  private JobError timeout(@Nullable JobType<?> type, RunResult.TimedOut timedOut) {
    Throwable thrown = timedOut.thrown();
    String message =
        "The handler was interrupted because its timeout%s has passed."
            .formatted(type == null ? "" : type.timeout().map(t -> " of " + t).orElse(""));
    return thrown == null
        ? JobError.of(message)
        : new JobError(thrown.getClass().getName(), message, describe(thrown).stack());
  }

  private JobError describe(Throwable thrown) {
    try {
      return JobError.of(thrown, redaction::of);
    } catch (Throwable again) {
      // A stack overflow or an exhausted heap may occur again, so only the class is kept.
      return new JobError(thrown.getClass().getName(), "Could not be described.", null);
    }
  }

  private static Backoff backoffOf(@Nullable JobType<?> type) {
    return type == null ? Backoff.standard() : type.backoff();
  }

  private Duration backoff(Attempt attempt, Backoff backoff) {
    try {
      return Backoff.clamp(backoff.after(attempt.job().attempt(), random.get()));
    } catch (Throwable broken) {
      // The function is the user's code. The failure must be written even if it throws.
      return Backoff.standard().after(attempt.job().attempt(), random.get());
    }
  }
}
