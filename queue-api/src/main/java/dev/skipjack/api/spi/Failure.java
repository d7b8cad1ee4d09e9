package dev.skipjack.api.spi;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobError;
import java.time.Duration;

/**
 * A failed attempt.
 *
 * @param execution the attempt
 * @param error the error that made the attempt fail
 * @param delay the wait before the next attempt, clamped to the range from 0 to {@link
 *     Backoff#LONGEST}
 * @param isFinal whether the job must not be retried even if it has attempts left
 */
public record Failure(Execution execution, JobError error, Duration delay, boolean isFinal) {

  /**
   * Clamps the delay.
   *
   * @param execution the execution, which fences the write
   * @param error the error
   * @param delay the delay
   * @param isFinal whether the job becomes dead, whatever attempts it has left
   */
  public Failure {
    delay = Backoff.clamp(delay);
  }
}
