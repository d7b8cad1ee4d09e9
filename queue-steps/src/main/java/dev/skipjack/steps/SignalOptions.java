package dev.skipjack.steps;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a signal, and when it expires. Immutable.
 *
 * @param sentBy who sends it, stored with the step that takes it; null if unknown
 * @param expiresAfter how long a job may take the signal
 */
public record SignalOptions(@Nullable String sentBy, Duration expiresAfter) {

  /** No sender, and 30 days. */
  static final SignalOptions DEFAULTS = new SignalOptions(null, Duration.ofDays(30));

  /**
   * {@return these options with a sender}
   *
   * @param sender who sends the signal, 1 to 200 bytes in UTF-8
   */
  public SignalOptions sentBy(String sender) {
    return new SignalOptions(sender, expiresAfter);
  }

  /**
   * {@return these options with another expiry} Default: 30 days.
   *
   * @param duration how long a job may take the signal; positive and at most 36,500 days
   */
  public SignalOptions expiresAfter(Duration duration) {
    return new SignalOptions(sentBy, duration);
  }
}
