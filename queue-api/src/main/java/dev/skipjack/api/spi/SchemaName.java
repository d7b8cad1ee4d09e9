package dev.skipjack.api.spi;

import java.nio.charset.StandardCharsets;

/** Validates the name of a queue's schema, given without quotes. */
public final class SchemaName {

  /** PostgreSQL's limit (NAMEDATALEN - 1). PostgreSQL silently truncates longer names. */
  private static final int LONGEST = 63;

  private SchemaName() {}

  /**
   * {@return {@code name} if it is not blank and PostgreSQL stores it unchanged}
   *
   * @param name the name of the schema
   * @throws IllegalArgumentException if {@code name} is blank, longer than 63 bytes in UTF-8, or
   *     contains a NUL
   */
  public static String require(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (name.isBlank() || bytes > LONGEST || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "Schema name '%s' has %d bytes; it needs 1 to %d, no NUL, and more than white space."
              .formatted(SafeText.of(name, 80), bytes, LONGEST));
    }
    return name;
  }
}
