package dev.skipjack.api.spi;

import org.jspecify.annotations.Nullable;

/**
 * A progress report of a running handler.
 *
 * @param execution the attempt
 * @param percent percentage of the work that is done, 0 to 100
 * @param message description of the current step, at most 500 characters that PostgreSQL can store;
 *     null if there is none
 */
public record Progress(Execution execution, int percent, @Nullable String message) {

  /** Each report writes the job's row, which a long message would make large. */
  private static final int LONGEST_MESSAGE = 500;

  /** Rejects other percentages; sanitises and truncates the message. */
  public Progress {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("Progress of %d %% is not in 0..100.".formatted(percent));
    }
    message = message == null ? null : SafeText.of(message, LONGEST_MESSAGE);
  }
}
