package dev.skipjack.api.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a handler reports about itself while it runs.
 *
 * @param execution the attempt
 * @param percent how much is done, 0 to 100
 * @param message what it is at, made safe to write and at most 500 characters; null: nothing to say
 */
public record Progress(Execution execution, int percent, @Nullable String message) {

  /** The row of the job is written with each report: a message that is long would make it wide. */
  private static final int LONGEST_MESSAGE = 500;

  /** Refuses other percentages; sanitises and cuts the message. */
  public Progress {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("Progress of %d %% is not in 0..100.".formatted(percent));
    }
    message = message == null ? null : SafeText.of(message, LONGEST_MESSAGE);
  }
}
