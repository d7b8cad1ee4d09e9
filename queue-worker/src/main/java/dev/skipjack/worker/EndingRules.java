package dev.skipjack.worker;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.FailureRule;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Turns what a handler answered, or threw, into what is written about the attempt. */
final class EndingRules {

  /** Or a handler that asks for a time that has passed would be called in a loop without an end. */
  private static final Duration LEAST_SNOOZE = Duration.ofSeconds(1);

  private final ResultWriter results;
  private final Supplier<? extends RandomGenerator> random;
  private final Redaction redaction;

  /** Makes JSON of a handler's result. */
  @FunctionalInterface
  interface ResultWriter {
    /** Throws what the codec throws. */
    String write(String kind, Object result);
  }

  EndingRules(
      ResultWriter results, Supplier<? extends RandomGenerator> random, Redaction redaction) {
    this.results = results;
    this.random = random;
    this.redaction = redaction;
  }

  /**
   * @param type null if there is no handler, which {@code thrown} says too
   * @param outcome null if the handler threw, or answered null
   * @param thrown null unless it threw
   */
  Ending decide(
      Attempt attempt,
      @Nullable JobType<?> type,
      @Nullable Outcome outcome,
      @Nullable Throwable thrown,
      boolean timedOut) {
    if (attempt.isCompletionWritten()) {
      boolean completed = thrown == null && outcome instanceof Outcome.Completed;
      JobError error =
          completed && !timedOut
              ? JobError.of(
                  "The completion was rolled back: the transaction that was given to completeIn did not commit.")
              : afterCompletion(attempt, type, outcome, thrown, timedOut);
      return new Ending.CompletedByHandler(
          new Ending.Failed(error, backoff(attempt, backoffOf(type)), false), completed);
    }
    if (timedOut) {
      return failed(attempt, type, timeout(type, thrown));
    }
    if (thrown != null && attempt.failedByPostponement(thrown)) {
      // The handler did its work, and it was not to blame that its completion found no partition.
      return Ending.GivenBack.after(ExecutionStatus.RELEASED, backoff(attempt, backoffOf(type)));
    }
    if (thrown != null) {
      return failed(attempt, type, thrown);
    }
    if (outcome == null) {
      return failed(attempt, type, answeredNull(attempt));
    }
    return outcome.accept(new Answered(attempt, type));
  }

  /** What was answered in time by a handler whose completion is not written yet. */
  private final class Answered implements Outcome.Cases<Ending> {

    private final Attempt attempt;
    private final @Nullable JobType<?> type;

    Answered(Attempt attempt, @Nullable JobType<?> type) {
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
      return new Ending.GivenBack(
          ExecutionStatus.SNOOZED,
          delay.compareTo(LEAST_SNOOZE) < 0 ? LEAST_SNOOZE : delay,
          snoozed.until());
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
              "Handler of kind '%s' answered with a stage that answered with a stage. Compose the two with thenCompose."
                  .formatted(attempt.job().kind())));
    }
  }

  private Ending.Failed failed(Attempt attempt, @Nullable JobType<?> type, JobError error) {
    return new Ending.Failed(error, backoff(attempt, backoffOf(type)), false);
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

  private JobError afterCompletion(
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
  private JobError timeout(@Nullable JobType<?> type, @Nullable Throwable thrown) {
    String message =
        "The handler was interrupted because its timeout%s is over."
            .formatted(type == null ? "" : type.timeout().map(t -> " of " + t).orElse(""));
    return thrown == null
        ? JobError.of(message)
        : new JobError(thrown.getClass().getName(), message, describe(thrown).stack());
  }

  private JobError describe(Throwable thrown) {
    try {
      return JobError.of(thrown, redaction::of);
    } catch (Throwable again) {
      // A stack overflow or an exhausted heap may strike twice; the class is worth keeping.
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
      // The user's own function; the failure must be written all the same.
      return Backoff.standard().after(attempt.job().attempt(), random.get());
    }
  }
}
