package dev.skipjack.worker;

import dev.skipjack.api.Outcome;
import org.jspecify.annotations.Nullable;

/** The result of calling a handler. {@link EndingRules} turns it into an {@link Ending}. */
sealed interface RunResult {

  /**
   * The handler returned.
   *
   * @param outcome the outcome, or null if the handler returned null, which fails the attempt
   */
  record Returned(@Nullable Outcome outcome) implements RunResult {}

  /** The handler, or the code that prepares the call, threw an exception. */
  record Threw(Throwable thrown) implements RunResult {}

  /**
   * The timeout of the job's type passed before the handler ended.
   *
   * @param late the result of the handler after the timeout, or null if it is still running
   */
  record TimedOut(@Nullable RunResult late) implements RunResult {}

  /**
   * Returns the exception that the handler threw before or after its timeout, or null if it threw
   * none.
   */
  default @Nullable Throwable thrown() {
    if (this instanceof TimedOut timedOut) {
      return timedOut.late() == null ? null : timedOut.late().thrown();
    }
    return null;
  }

  /** Returns whether the handler reported success, before or after its timeout. */
  default boolean isCompleted() {
    if (this instanceof TimedOut timedOut) {
      return timedOut.late() != null && timedOut.late().isCompleted();
    }
    return this instanceof Returned returned && returned.outcome() instanceof Outcome.Completed;
  }
}
