package dev.skipjack.steps;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a signal, and when it expires. Immutable.
 *
 * @param sentBy who sends it, stored with the step that takes it; null if unknown
 * @param expiresAfter how long a job may take the signal
 */
public record SignalOptions(@Nullable String sentBy, Duration expiresAfter) {

  private static final int LONGEST_SENDER = 200;
  private static final Duration LONGEST_EXPIRY = Duration.ofDays(36_500);

  /** No sender, and 30 days. */
  static final SignalOptions DEFAULTS = new SignalOptions(null, Duration.ofDays(30));

  /**
   * Checks the options.
   *
   * @param sentBy who sends it
   * @param expiresAfter how long a job may take the signal
   * @throws IllegalArgumentException if the sender is empty or has more than 200 bytes, or the
   *     expiry is out of range
   */
  public SignalOptions {
    if (sentBy != null) {
      int bytes = StepNames.require("Sender", sentBy).getBytes(StandardCharsets.UTF_8).length;
      if (bytes > LONGEST_SENDER) {
        throw new IllegalArgumentException(
            "Sender '%s' has %d bytes in UTF-8; 1 to %d are allowed."
                .formatted(sentBy.substring(0, 40), bytes, LONGEST_SENDER));
      }
    }
    if (expiresAfter.isNegative()
        || expiresAfter.isZero()
        || expiresAfter.compareTo(LONGEST_EXPIRY) > 0) {
      throw new IllegalArgumentException(
          "Expiry %s of a signal must be more than 0 and at most 36500 days."
              .formatted(expiresAfter));
    }
  }

  /**
   * {@return these options with a sender}
   *
   * @param sender who sends the signal, 1 to 200 bytes in UTF-8
   * @throws IllegalArgumentException if it is empty or too long
   */
  public SignalOptions sentBy(String sender) {
    return new SignalOptions(sender, expiresAfter);
  }

  /**
   * {@return these options with another expiry} Default: 30 days.
   *
   * @param duration how long a job may take the signal; positive and at most 36,500 days
   * @throws IllegalArgumentException if it is out of range
   */
  public SignalOptions expiresAfter(Duration duration) {
    return new SignalOptions(sentBy, duration);
  }
}
