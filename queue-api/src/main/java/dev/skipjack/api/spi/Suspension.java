package dev.skipjack.api.spi;

import dev.skipjack.api.EnqueueOptions;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long an attempt suspends its job, and for what it waits.
 *
 * @param awaits the name of what the job waits for. A signal of this name makes the job due at once
 * @param isSleep whether the job waits for the time only, so that {@code signalsSeen} is ignored
 * @param signalsSeen the number of signals that the job had when the attempt looked for one; null
 *     if it had none. If it has changed when the attempt ends, the job is due at once
 * @param until when the job becomes due without a signal. An instant before 1970 or after {@link
 *     EnqueueOptions#LATEST} is clamped
 */
public record Suspension(
    String awaits, boolean isSleep, @Nullable Integer signalsSeen, Instant until) {

  /**
   * Clamps the instant.
   *
   * @param awaits the name of what the job waits for
   * @param isSleep whether it waits for the time only
   * @param signalsSeen the number of signals that the attempt has seen
   * @param until when the job becomes due without a signal
   */
  public Suspension {
    until = Requeue.clamp(until);
  }
}
