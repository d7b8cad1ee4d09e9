package dev.skipjack.api.schedule;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The schedule that enqueued a job, and the time for which it did so.
 *
 * @param schedule the name of the schedule
 * @param at the planned time, or the time of the request if an operator requested that the schedule
 *     fire
 */
public record ScheduledFire(String schedule, Instant at) {

  private static final Pattern TEXT = Pattern.compile("([a-z0-9_.-]{1,63})@(\\S+)");

  /** {@return the value of the header that is stored with the job} */
  public String text() {
    return schedule + "@" + at;
  }

  /**
   * {@return the schedule and the time that a text returned by {@link #text} contains, or empty for
   * any other text and for null}
   *
   * @param text the text, or null
   */
  public static Optional<ScheduledFire> of(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    Matcher parts = TEXT.matcher(text);
    try {
      return parts.matches()
          ? Optional.of(new ScheduledFire(parts.group(1), Instant.parse(parts.group(2))))
          : Optional.empty();
    } catch (DateTimeException otherText) {
      return Optional.empty();
    }
  }
}
