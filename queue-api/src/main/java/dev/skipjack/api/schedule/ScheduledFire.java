package dev.skipjack.api.schedule;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fire of a schedule that enqueued a job.
 *
 * @param schedule the name of the schedule
 * @param at the planned time of the fire, which for a requested fire is the time of the request
 */
public record ScheduledFire(String schedule, Instant at) {

  private static final Pattern TEXT = Pattern.compile("schedule:([a-z0-9_.-]{1,63})@(\\S+)");

  /** Returns the text in which a job stores the fire. */
  public String text() {
    return "schedule:" + schedule + "@" + at;
  }

  /**
   * Returns the fire that a text returned by {@link #text} represents, or empty for any other text
   * and for null.
   */
  public static Optional<ScheduledFire> of(@Nullable String text) {
    if (text == null || !text.startsWith("schedule:")) {
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
