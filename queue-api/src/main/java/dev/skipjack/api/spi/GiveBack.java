package dev.skipjack.api.spi;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that ends without being used: the handler asked for later, or the worker shuts down.
 *
 * @param execution the attempt
 * @param as {@link ExecutionStatus#SNOOZED} or {@link ExecutionStatus#RELEASED}
 * @param delay until the job is due again; clamped to 0 .. {@link Backoff#LONGEST}
 * @param until when the job is due again; null: the delay says so. A snoozed one is not due before
 *     the delay is over. A released one is due exactly then, whatever the delay and also if it is
 *     past: with the due time it was claimed with, a job that never began has its place before
 *     those of later, and its wait goes on. An instant before 1970 or beyond {@link
 *     EnqueueOptions#LATEST} is clamped.
 */
public record GiveBack(
    Execution execution, ExecutionStatus as, Duration delay, @Nullable Instant until) {

  /** Refuses other endings and clamps delay and instant, so that no value makes the write fail. */
  public GiveBack {
    if (as != ExecutionStatus.SNOOZED && as != ExecutionStatus.RELEASED) {
      throw new IllegalArgumentException(
          "An attempt is given back as SNOOZED or RELEASED, not as " + as + ".");
    }
    delay = Backoff.clamp(delay);
    until = until == null ? null : clamp(until);
  }

  /** Due again after {@code delay}. */
  public GiveBack(Execution execution, ExecutionStatus as, Duration delay) {
    this(execution, as, delay, null);
  }

  /** Due again at {@code until}, by the database's clock. */
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
