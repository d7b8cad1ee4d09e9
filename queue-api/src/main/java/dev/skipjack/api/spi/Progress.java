package dev.skipjack.api.spi;

import org.jspecify.annotations.Nullable;

/**
 * A progress report of a running handler.
 *
 * @param execution the attempt
 * @param percent the percentage of the work that is done, from 0 to 100
 * @param message a description of the current step, sanitized and truncated to 500 characters; null
 *     if there is none
 */
public record Progress(Execution execution, int percent, @Nullable String message) {

  /**
   * The maximum length of a message. Each report updates the job's row, which a long message would
   * make large.
   */
  private static final int LONGEST_MESSAGE = 500;

  /**
   * Creates a report and sanitizes its message.
   *
   * @param execution the execution, which fences the write
   * @param percent the progress in percent
   * @param message what the handler says about its progress
   * @throws IllegalArgumentException if {@code percent} is out of range
   */
  public Progress {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("Progress of %d %% is not in 0..100.".formatted(percent));
    }
    message = message == null ? null : SafeText.of(message, LONGEST_MESSAGE);
  }
}
