package dev.skipjack.outbox.http;

import dev.skipjack.outbox.PublishResult;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Optional;

/**
 * The result of sending one event.
 *
 * @param isUnavailable whether the endpoint is unavailable, so that the result may not be the
 *     event's fault
 * @param pause the pause for which the endpoint asked; zero for none
 */
record Response(PublishResult result, boolean isUnavailable, Duration pause) {

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  /** An endpoint that asks for a longer pause receives events again after this time. */
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  static Response of(int status, HttpHeaders headers, String host) {
    if (status >= 200 && status < 300) {
      return settled(PublishResult.sent());
    }
    String reason = "%s responded with HTTP status %d".formatted(host, status);
    if (status >= 300 && status < 400) {
      return settled(
          PublishResult.retry(
              reason + ". Redirects are not followed; configure the URI to which it redirects."));
    }
    Optional<Duration> asked =
        RetryAfter.of(headers)
            .map(delay -> delay.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : delay);
    PublishResult again =
        asked
            .map(delay -> PublishResult.retryAfter(reason, delay))
            .orElseGet(() -> PublishResult.retry(reason));
    return switch (status) {
      case 400, 413, 415, 422 -> settled(PublishResult.dead(reason));
      case TOO_MANY_REQUESTS, UNAVAILABLE -> new Response(again, true, asked.orElse(Duration.ZERO));
      case 502, 504 -> new Response(again, true, Duration.ZERO);
      default -> settled(again);
    };
  }

  static Response withoutResponse(String reason) {
    return new Response(PublishResult.retry(reason), true, Duration.ZERO);
  }

  /** Returns a response that does not mean that the endpoint is unavailable. */
  static Response settled(PublishResult result) {
    return new Response(result, false, Duration.ZERO);
  }
}
