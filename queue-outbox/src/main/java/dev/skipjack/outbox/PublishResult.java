package dev.skipjack.outbox;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of publishing one event.
 *
 * @param kind what happened
 * @param reason why the event was not published; empty if it was, was not tried or was postponed
 * @param delay the time that the destination requested until the next attempt; null for the relay's
 *     backoff. Never null if the event was postponed
 */
public record PublishResult(Kind kind, String reason, @Nullable Duration delay) {

  private static final PublishResult SENT = new PublishResult(Kind.SENT, "", null);
  private static final PublishResult NOT_TRIED = new PublishResult(Kind.NOT_TRIED, "", null);

  /** The result of an event. */
  public enum Kind {
    /** The destination has accepted the event. */
    SENT,
    /** The attempt failed; another one may succeed. */
    RETRY,
    /** No attempt can succeed. */
    DEAD,
    /** The event was not sent, and the attempt does not count. */
    NOT_TRIED,
    /** Like {@link #NOT_TRIED}, and the event must not be sent before the delay has passed. */
    POSTPONED
  }

  /**
   * Checks the arguments.
   *
   * @param kind what happened
   * @param reason why the event was not published; empty if it was, was not tried or was postponed
   * @param delay the time until the next attempt, not negative; null for the relay's backoff, but
   *     not if the event was postponed
   * @throws IllegalArgumentException if {@code delay} is negative, or is null and the event was
   *     postponed
   */
  public PublishResult {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(reason, "reason");
    if (delay != null && delay.isNegative()) {
      throw new IllegalArgumentException("Delay %s must not be negative.".formatted(delay));
    }
    if (kind == Kind.POSTPONED && delay == null) {
      throw new IllegalArgumentException("A postponed event needs a delay.");
    }
  }

  /** {@return the result of an event that the destination has accepted} */
  public static PublishResult sent() {
    return SENT;
  }

  /**
   * {@return a result that asks for another attempt after the relay's backoff}
   *
   * @param reason why the event was not published
   */
  public static PublishResult retry(String reason) {
    return new PublishResult(Kind.RETRY, reason, null);
  }

  /**
   * {@return a result that asks for another attempt after {@code delay}}
   *
   * @param reason why the event was not published
   * @param delay the time until the next attempt, not negative. The relay waits for a year at most
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  public static PublishResult retryAfter(String reason, Duration delay) {
    return new PublishResult(Kind.RETRY, reason, delay);
  }

  /**
   * {@return the result of an event that the destination will never accept}
   *
   * @param reason why the event was not published
   */
  public static PublishResult dead(String reason) {
    return new PublishResult(Kind.DEAD, reason, null);
  }

  /**
   * {@return the result of an event that was not sent, because an earlier event of its aggregate
   * was not sent or the time of the batch has passed}
   */
  public static PublishResult notTried() {
    return NOT_TRIED;
  }

  /**
   * {@return the result of an event that was not sent, because its destination must receive nothing
   * before {@code delay} has passed} Its aggregate is blocked until then, so that the relay reads
   * the events of other destinations. For a short delay, or if all events have the same
   * destination, return {@link #notTried}, which writes nothing.
   *
   * @param delay how long the aggregate is blocked, not negative. The relay blocks it for a year at
   *     most
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  public static PublishResult postponed(Duration delay) {
    return new PublishResult(Kind.POSTPONED, "", delay);
  }
}
