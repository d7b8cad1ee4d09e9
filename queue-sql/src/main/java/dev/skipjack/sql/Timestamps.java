package dev.skipjack.sql;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Formats instants for PostgreSQL. Unlike Java, PostgreSQL writes years before year 1 as years BC.
 * Instants that it cannot store become {@code -infinity} or {@code infinity}.
 */
public final class Timestamps {

  private static final Instant FIRST = Instant.parse("-4713-11-24T00:00:00Z");
  private static final Instant END = Instant.parse("+294277-01-01T00:00:00Z");

  private static final DateTimeFormatter REST = DateTimeFormatter.ofPattern("-MM-dd'T'HH:mm:ss");

  private Timestamps() {}

  /**
   * {@return the instant as a text that the server reads, to the microsecond}
   *
   * @param instant the instant
   */
  public static String text(Instant instant) {
    if (instant.isBefore(FIRST)) {
      return "-infinity";
    }
    if (!instant.isBefore(END)) {
      return "infinity";
    }
    OffsetDateTime time = instant.atOffset(ZoneOffset.UTC);
    int year = time.getYear();
    return "%04d%s.%06dZ%s"
        .formatted(
            year > 0 ? year : 1 - year,
            REST.format(time),
            time.getNano() / 1_000,
            year > 0 ? "" : " BC");
  }
}
