package dev.skipjack.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The major version of PostgreSQL that the tests of this JVM request, if any. */
final class PostgresMajor {

  static final String PROPERTY = "skipjack.test.major";
  static final String VARIABLE = "SKIPJACK_TEST_MAJOR";

  /** A description of the settings that request the version. */
  static final String HOW =
      "A major version is requested by -D%s or %s".formatted(PROPERTY, VARIABLE);

  private static final int OLDEST = 14;
  private static final int NEWEST = 18;

  private PostgresMajor() {}

  /** Returns the version that the settings of this JVM request, if any. */
  static OptionalInt wanted() {
    String property = System.getProperty(PROPERTY);
    return parse(property == null ? System.getenv(VARIABLE) : property);
  }

  /**
   * Returns the major version that a setting requests.
   *
   * @param text the setting; null or blank for any version
   * @throws IllegalArgumentException if {@code text} is not a major version that the queue supports
   */
  static OptionalInt parse(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return OptionalInt.empty();
    }
    if (text.strip().matches("[0-9]{1,4}")) {
      int major = Integer.parseInt(text.strip());
      if (major >= OLDEST && major <= NEWEST) {
        return OptionalInt.of(major);
      }
    }
    throw new IllegalArgumentException(
        "The queue does not run on PostgreSQL '%s'. %s: %d to %d, or nothing."
            .formatted(text, HOW, OLDEST, NEWEST));
  }

  /**
   * Checks that a server has the requested major version.
   *
   * @throws IllegalStateException if it has another version; the message contains the advice of the
   *     source
   */
  static void require(OptionalInt wanted, Connection connection, PostgresSource source)
      throws SQLException {
    int major = connection.getMetaData().getDatabaseMajorVersion();
    if (wanted.isPresent() && wanted.getAsInt() != major) {
      throw new IllegalStateException(
          "The test server is PostgreSQL %s and not %d. %s"
              .formatted(
                  connection.getMetaData().getDatabaseProductVersion(),
                  wanted.getAsInt(),
                  source.adviceFor(wanted.getAsInt())));
    }
  }
}
