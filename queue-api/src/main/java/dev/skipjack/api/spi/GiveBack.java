package dev.skipjack.api.spi;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt that does not count: the handler postponed the job, or the worker released
 * it.
 *
 * @param execution the attempt
 * @param as {@link ExecutionStatus#SNOOZED} or {@link ExecutionStatus#RELEASED}
 * @param delay until the job is due again; clamped to 0 .. {@link Backoff#LONGEST}
 * @param until when the job is due again; null if the delay applies. A snoozed job is not due
 *     before the delay has passed. A released job is due exactly at this instant, even if it is in
 *     the past. A job that never started can thus keep the due time that it was claimed with, and
 *     with it its position and its waiting time. An instant before 1970 or after {@link
 *     EnqueueOptions#LATEST} is clamped.
 */
public record GiveBack(
    Execution execution, ExecutionStatus as, Duration delay, @Nullable Instant until) {

  /**
   * Rejects other statuses and clamps delay and instant, so that no value can make the write fail.
   */
  public GiveBack {
    if (as != ExecutionStatus.SNOOZED && as != ExecutionStatus.RELEASED) {
      throw new IllegalArgumentException(
          "An attempt is given back as SNOOZED or RELEASED, not as " + as + ".");
    }
    delay = Backoff.clamp(delay);
    until = until == null ? null : clamp(until);
  }

  /** Makes the job due again after {@code delay}. */
  public GiveBack(Execution execution, ExecutionStatus as, Duration delay) {
    this(execution, as, delay, null);
  }

  /** Makes the job due again at {@code until}, by the database's clock. */
  public static GiveBack until(Execution execution, ExecutionStatus as, Instant until) {
    return new GiveBack(execution, as, Duration.ZERO, until);
  }

  private static Instant clamp(Instant until) {
    if (until.isBefore(Instant.EPOCH)) {
      return Instant.EPOCH;
    }
    return until.isAfter(EnqueueOptions.LATEST) ? EnqueueOptions.LATEST : until;
  }
}
