package dev.skipjack.testkit;

import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Which server the tests of this JVM get. */
final class PostgresSources {

  static final String URL_PROPERTY = "skipjack.test.url";
  static final String URL_VARIABLE = "SKIPJACK_TEST_URL";

  /**
   * Half an hour off the full one, so that nothing that assumes UTC or whole hours goes unnoticed.
   */
  static final String TIME_ZONE = "Asia/Kolkata";

  /** A test server may lose everything in a crash; what it must not lose is time. */
  static final Map<String, String> SETTINGS =
      Map.of(
          "fsync", "off",
          "synchronous_commit", "off",
          "full_page_writes", "off",
          "max_connections", "200",
          "timezone", TIME_ZONE);

  private PostgresSources() {}

  /** The choice on this machine. */
  static PostgresSource choose() {
    String property = System.getProperty(URL_PROPERTY);
    return choose(
        property == null ? System.getenv(URL_VARIABLE) : property,
        PostgresMajor.wanted(),
        PostgresSources::hasTestcontainers,
        DockerProbe.ofThisMachine()::answers);
  }

  /**
   * The choice itself.
   *
   * @param url of a server that runs already; null or blank when there is none
   * @param major of the container, if one is started
   * @param dockerAnswers asked only when the library is there, because it takes time
   */
  static PostgresSource choose(
      @Nullable String url,
      OptionalInt major,
      BooleanSupplier hasTestcontainers,
      BooleanSupplier dockerAnswers) {
    if (url != null && !url.isBlank()) {
      return new UrlSource(url.strip());
    }
    return hasTestcontainers.getAsBoolean() && dockerAnswers.getAsBoolean()
        ? new TestcontainersSource(major)
        : new EmbeddedPostgresSource();
  }

  private static boolean hasTestcontainers() {
    try {
      Class.forName(
          TestcontainersSource.LIBRARY_CLASS, false, PostgresSources.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
