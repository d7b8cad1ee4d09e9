package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresSourcesTest {

  private static final String URL = "jdbc:postgresql://db:5432/app?user=me&password=secret";

  @Test
  void urlHasPriorityAndDockerIsNotProbed() {
    PostgresSource source =
        PostgresSources.choose(
            URL,
            OptionalInt.empty(),
            () -> {
              throw new AssertionError("asked");
            },
            () -> {
              throw new AssertionError("asked");
            });

    assertThat(source).isInstanceOf(UrlSource.class);
  }

  @Test
  void containerIsUsedIfDockerResponds() {
    assertThat(PostgresSources.choose(null, OptionalInt.of(15), () -> true, () -> true))
        .isInstanceOfSatisfying(
            TestcontainersSource.class,
            source -> assertThat(source.image()).isEqualTo("postgres:15"));
  }

  @Test
  void containerHasTheRequestedMajor() {
    assertThat(new TestcontainersSource(OptionalInt.of(15)).image()).isEqualTo("postgres:15");
    assertThat(new TestcontainersSource(OptionalInt.empty()).image()).isEqualTo("postgres:18");
  }

  @Test
  void embeddedServerIsUsedWithoutDocker() {
    assertThat(PostgresSources.choose(null, OptionalInt.empty(), () -> true, () -> false))
        .isInstanceOf(EmbeddedPostgresSource.class);
  }

  @Test
  void dockerIsNotProbedWithoutTheLibrary() {
    PostgresSource source =
        PostgresSources.choose(
            " ",
            OptionalInt.empty(),
            () -> false,
            () -> {
              throw new AssertionError("asked");
            });

    assertThat(source).isInstanceOf(EmbeddedPostgresSource.class);
  }

  @Test
  void urlNamesOtherDatabasesOfItsServer() {
    PostgresSource.Server server = new UrlSource(URL).start();

    assertThat(server.adminDatabase()).isEqualTo("app");
    assertThat(server.jdbcUrl("other"))
        .isEqualTo("jdbc:postgresql://db:5432/other?user=me&password=secret");
    assertThat(server.isOursAlone()).isFalse();
  }

  @Test
  void serverIsStoppedByTheProcessThatStartedIt() {
    AtomicInteger stops = new AtomicInteger();
    new UrlSource(URL, true, stops::incrementAndGet).start().stop();
    assertThat(stops).hasValue(1);
  }

  @ParameterizedTest
  @CsvSource({
    "postgres://me:secret@db/app, 'postgres://***'",
    "postgres://me:se?cret@db/app, 'postgres://***'",
    "jdbc:postgresql://db/?user=u&password=p@secret, 'jdbc:postgresql://***'",
    "jdbc:postgresql://db?password=secret, 'jdbc:postgresql://db'",
    "jdbc:postgresql:app;password=secret, 'jdbc:postgresql:app'",
    "password=secret, 'password'",
    "jdbc:mysql://db/app, 'jdbc:mysql://db/app'",
  })
  void urlOfAnotherFormIsRefusedAndRepeatedWithoutItsSecrets(String url, String shown) {
    assertThatThrownBy(() -> new UrlSource(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("skipjack.test.url")
        .hasMessageContaining("'" + shown + "'")
        .hasMessageNotContaining("secret")
        .hasMessageNotContaining("cret@");
  }
}
