package dev.skipjack.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The major version of PostgreSQL that the tests of this JVM request, if any. */
final class PostgresMajor {

  static final String PROPERTY = "skipjack.test.major";
  static final String VARIABLE = "SKIPJACK_TEST_MAJOR";

  /** The setting that requests the version. */
  static final String HOW =
      "A major version is requested by -D%s or %s".formatted(PROPERTY, VARIABLE);

  private static final int OLDEST = 14;
  private static final int NEWEST = 18;

  private PostgresMajor() {}

  /** The setting of this JVM. */
  static OptionalInt wanted() {
    String property = System.getProperty(PROPERTY);
    return parse(property == null ? System.getenv(VARIABLE) : property);
  }

  /**
   * @param text null or blank: whatever there is
   * @throws IllegalArgumentException if it is no major that the queue runs on
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
   * Refuses a server of another major version.
   *
   * @throws IllegalStateException with the source's advice
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
