package dev.skipjack.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes times as ages, with the time in UTC on hover.
 *
 * @param now the time from which ages are computed
 */
record Times(Instant now) {

  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Times further from 1970 than this are shown as never or long ago. */
  private static final Duration FAR = Duration.ofDays(1_000_000);

  private static final DateTimeFormatter MINUTES =
      DateTimeFormatter.ofPattern("HH:mm").withZone(ZoneOffset.UTC);

  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final long MANY = 10;

  /** Returns how long ago a time was, or in how long it will be. */
  Node ago(@Nullable Instant time) {
    return time == null ? none() : element(time, agoText(time));
  }

  private String agoText(Instant time) {
    Duration age = Duration.between(time, now);
    if (isFar(time)) {
      return age.isNegative() ? "never" : "long ago";
    }
    if (age.abs().compareTo(SECOND) < 0) {
      return "just now";
    }
    return age.isNegative() ? "in " + span(age.negated()) : span(age) + " ago";
  }

  /** Returns a time of day, or a date and time if it is not of today. */
  Node at(@Nullable Instant time) {
    if (time == null) {
      return none();
    }
    if (isFar(time)) {
      return element(time, agoText(time));
    }
    boolean today = time.truncatedTo(ChronoUnit.DAYS).equals(now.truncatedTo(ChronoUnit.DAYS));
    return element(time, today ? CLOCK.format(time) : UTC.format(time).replace(" UTC", ""));
  }

  /** Whether a time is too far from 1970 to be shown, for example infinity. */
  private static boolean isFar(Instant time) {
    return Duration.between(Instant.EPOCH, time).abs().compareTo(FAR) > 0;
  }

  /** Returns the start of a minute as a time of day. */
  Node minute(Instant time) {
    return element(time, minuteText(time));
  }

  static String minuteText(Instant time) {
    return MINUTES.format(time);
  }

  private static Node element(Instant time, String text) {
    return isFar(time)
        ? Html.tag("span", text)
        : Html.tag("time")
            .set("datetime", time.truncatedTo(ChronoUnit.MILLIS).toString())
            .set("title", UTC.format(time))
            .add(text);
  }

  private static Node none() {
    return Html.span("faint").add("–");
  }

  /** Returns a time in UTC. */
  static String utc(Instant time) {
    return isFar(time) ? time.toString() : UTC.format(time);
  }

  /** Returns a duration in one or two units. A negative one, of clocks that differ, is 0 ms. */
  static String span(Duration duration) {
    if (duration.isNegative()) {
      return "0 ms";
    }
    long seconds = duration.toSeconds();
    if (seconds < 1) {
      return duration.toMillis() + " ms";
    }
    if (seconds < MINUTE) {
      return seconds < MANY && duration.toMillisPart() >= 100
          ? "%d.%d s".formatted(seconds, duration.toMillisPart() / 100)
          : seconds + " s";
    }
    if (seconds < HOUR) {
      return two(seconds / MINUTE, "min", seconds % MINUTE, "s");
    }
    if (seconds < DAY) {
      return two(seconds / HOUR, "h", seconds % HOUR / MINUTE, "min");
    }
    return two(seconds / DAY, "d", seconds % DAY / HOUR, "h");
  }

  private static String two(long large, String unit, long small, String smallUnit) {
    return small == 0 || large >= MANY
        ? large + " " + unit
        : "%d %s %d %s".formatted(large, unit, small, smallUnit);
  }
}
