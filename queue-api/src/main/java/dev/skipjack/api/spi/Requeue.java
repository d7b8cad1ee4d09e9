package dev.skipjack.api.spi;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt that does not count, because the handler snoozed the job or the worker
 * released it.
 *
 * @param execution the attempt
 * @param as {@link ExecutionStatus#SNOOZED} or {@link ExecutionStatus#RELEASED}
 * @param delay the time until the job is due again, clamped to the range from 0 to {@link
 *     Backoff#LONGEST}
 * @param until when the job is due again; null if the delay applies. A snoozed job does not become
 *     due before the delay has elapsed. A released job becomes due at exactly this instant, even if
 *     it is in the past. A job that never started can therefore keep its due time and position. An
 *     instant before 1970 or after {@link EnqueueOptions#LATEST} is clamped
 * @param suspension what the job waits for, instead of a delay or an instant; null if it was not
 *     suspended
 */
public record Requeue(
    Execution execution,
    ExecutionStatus as,
    Duration delay,
    @Nullable Instant until,
    @Nullable Suspension suspension) {

  /**
   * Creates an instance and clamps the delay and the instant.
   *
   * @param execution the execution, which fences the write
   * @param as how the audit shows the attempt
   * @param delay the delay
   * @param until when the job is due again
   * @param suspension what the job waits for
   * @throws IllegalArgumentException if {@code as} is neither SNOOZED nor RELEASED
   */
  public Requeue {
    if (as != ExecutionStatus.SNOOZED && as != ExecutionStatus.RELEASED) {
      throw new IllegalArgumentException(
          "An attempt is requeued as SNOOZED or RELEASED, not as " + as + ".");
    }
    delay = Backoff.clamp(delay);
    until = until == null ? null : clamp(until);
  }

  /**
   * Creates an instance for a job that was not suspended.
   *
   * @param execution the execution, which fences the write
   * @param as how the audit shows the attempt
   * @param delay the delay
   * @param until when the job is due again
   */
  public Requeue(Execution execution, ExecutionStatus as, Duration delay, @Nullable Instant until) {
    this(execution, as, delay, until, null);
  }

  /**
   * Creates an instance that makes the job due again after {@code delay}.
   *
   * @param execution the execution, which fences the write
   * @param as how the audit shows the attempt
   * @param delay the delay
   */
  public Requeue(Execution execution, ExecutionStatus as, Duration delay) {
    this(execution, as, delay, null);
  }

  /**
   * {@return an instance that makes the job due again at {@code until}, by the database clock}
   *
   * @param execution the execution, which fences the write
   * @param as how the audit shows the attempt
   * @param until when the job is due again
   */
  public static Requeue until(Execution execution, ExecutionStatus as, Instant until) {
    return new Requeue(execution, as, Duration.ZERO, until);
  }

  /**
   * {@return an instance for an attempt that suspends its job}
   *
   * @param execution the execution, which fences the write
   * @param suspension what the job waits for
   */
  public static Requeue suspended(Execution execution, Suspension suspension) {
    return new Requeue(
        execution, ExecutionStatus.SNOOZED, Duration.ZERO, suspension.until(), suspension);
  }

  static Instant clamp(Instant until) {
    if (until.isBefore(Instant.EPOCH)) {
      return Instant.EPOCH;
    }
    return until.isAfter(EnqueueOptions.LATEST) ? EnqueueOptions.LATEST : until;
  }
}
