package dev.skipjack.testkit;

import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Chooses the server for the tests of this JVM. */
final class PostgresSources {

  static final String URL_PROPERTY = "skipjack.test.url";
  static final String URL_VARIABLE = "SKIPJACK_TEST_URL";

  /**
   * A time zone whose offset includes half an hour, so that tests detect code that assumes UTC or
   * whole hours.
   */
  static final String TIME_ZONE = "Asia/Kolkata";

  /** Settings that make a test server fast, at the risk of losing all data in a crash. */
  static final Map<String, String> SETTINGS =
      Map.of(
          "fsync", "off",
          "synchronous_commit", "off",
          "full_page_writes", "off",
          "max_connections", "200",
          "timezone", TIME_ZONE);

  private PostgresSources() {}

  /** Returns the source that the settings and the environment of this JVM determine. */
  static PostgresSource choose() {
    String property = System.getProperty(URL_PROPERTY);
    return choose(
        property == null ? System.getenv(URL_VARIABLE) : property,
        PostgresMajor.wanted(),
        PostgresSources::hasTestcontainers,
        DockerProbe.ofThisMachine()::answers);
  }

  /**
   * Returns the source for the given settings.
   *
   * @param url the URL of a running server; null or blank if there is none
   * @param major the major version to start, if a container is started
   * @param dockerAnswers whether Docker responds; called only if Testcontainers is present, because
   *     it takes time
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
