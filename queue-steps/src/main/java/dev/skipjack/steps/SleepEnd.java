package dev.skipjack.steps;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** Reads the result of a sleep, which the database writes. */
final class SleepEnd {

  private SleepEnd() {}

  /**
   * Returns the instant at which the sleep ends.
   *
   * @param json a JSON string
   * @throws IllegalStateException if it is not such an instant
   */
  static Instant parse(@Nullable String json) {
    try {
      return OffsetDateTime.parse(String.valueOf(json).replace("\"", "")).toInstant();
    } catch (DateTimeParseException invalid) {
      throw new IllegalStateException(
          "The memo of a sleep is %s, which is not a time. Correct its result in job_steps."
              .formatted(json == null || json.length() < 80 ? json : json.substring(0, 80)),
          invalid);
    }
  }
}
