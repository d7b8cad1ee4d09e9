package dev.skipjack.outbox.http;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * Reads {@code Retry-After}: seconds or a date (RFC 9110, section 10.2.3). A date is compared with
 * the {@code Date} of the same response if there is one, because the clocks of the two machines may
 * differ.
 */
final class RetryAfter {

  private static final int MOST_DIGITS = 9;

  private RetryAfter() {}

  /** Returns how long the server asks to wait; empty if the header is missing or invalid. */
  static Optional<Duration> of(HttpHeaders headers) {
    return headers
        .firstValue("Retry-After")
        .map(String::strip)
        .flatMap(
            text ->
                text.matches("\\d+")
                    ? Optional.of(seconds(text))
                    : date(text)
                        .map(
                            until ->
                                Duration.between(
                                    headers
                                        .firstValue("Date")
                                        .flatMap(RetryAfter::date)
                                        .orElseGet(Instant::now),
                                    until)))
        .map(delay -> delay.isNegative() ? Duration.ZERO : delay);
  }

  private static Duration seconds(String digits) {
    return Duration.ofSeconds(
        digits.length() > MOST_DIGITS ? Integer.MAX_VALUE : Long.parseLong(digits));
  }

  private static Optional<Instant> date(String text) {
    try {
      return Optional.of(
          ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeException notADate) {
      return Optional.empty();
    }
  }
}
