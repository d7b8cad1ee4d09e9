package dev.skipjack.api.spi;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobError;
import java.time.Duration;

/**
 * An attempt that failed.
 *
 * @param execution the attempt
 * @param error the reason
 * @param delay wait before the next attempt; clamped to 0 .. {@link Backoff#LONGEST}
 * @param isFinal whether the job must not be retried, even if attempts are left
 */
public record Failure(Execution execution, JobError error, Duration delay, boolean isFinal) {

  /** Clamps the delay, so that no value can make the write fail. */
  public Failure {
    delay = Backoff.clamp(delay);
  }
}
