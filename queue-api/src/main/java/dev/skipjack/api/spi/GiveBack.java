package dev.skipjack.api.spi;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionStatus;
import java.time.Duration;

/**
 * An attempt that ends without being used: the handler asked for later, or the worker shuts down.
 *
 * @param execution the attempt
 * @param as {@link ExecutionStatus#SNOOZED} or {@link ExecutionStatus#RELEASED}
 * @param delay until the job is due again; clamped to 0 .. {@link Backoff#LONGEST}
 */
public record GiveBack(Execution execution, ExecutionStatus as, Duration delay) {

  /** Refuses other endings and clamps the delay. */
  public GiveBack {
    if (as != ExecutionStatus.SNOOZED && as != ExecutionStatus.RELEASED) {
      throw new IllegalArgumentException(
          "An attempt is given back as SNOOZED or RELEASED, not as " + as + ".");
    }
    delay = Backoff.clamp(delay);
  }
}
