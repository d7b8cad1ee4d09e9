package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class DatabaseAddressTest {

  @Test
  void theOptionOverridesTheEnvironment() {
    assertThat(DatabaseAddress.of("jdbc:postgresql://a/b", Map.of("PGHOST", "c")))
        .hasValueSatisfying(
            address -> assertThat(address.jdbcUrl()).isEqualTo("jdbc:postgresql://a/b"));
  }

  @Test
  void aUrlWithoutAPasswordUsesThatOfTheEnvironment() {
    Map<String, String> env = Map.of("PGPASSWORD", "p=w&x", "PGHOST", "c");
    assertThat(DatabaseAddress.of("jdbc:postgresql://a/b", env).orElseThrow().jdbcUrl())
        .isEqualTo("jdbc:postgresql://a/b?password=p%3Dw%26x");
    assertThat(DatabaseAddress.of("jdbc:postgresql://a/b?user=u", env).orElseThrow().jdbcUrl())
        .isEqualTo("jdbc:postgresql://a/b?user=u&password=p%3Dw%26x");
    assertThat(
            DatabaseAddress.of("jdbc:postgresql://a/b?user=u&password=own", env)
                .orElseThrow()
                .jdbcUrl())
        .isEqualTo("jdbc:postgresql://a/b?user=u&password=own");
  }

  @Test
  void theTlsSettingsOfTheEnvironmentApplyUnlessTheUrlHasItsOwn() {
    Map<String, String> env = Map.of("PGSSLMODE", "verify-full");
    assertThat(DatabaseAddress.of("jdbc:postgresql://a/b", env).orElseThrow().jdbcUrl())
        .isEqualTo("jdbc:postgresql://a/b?sslmode=verify-full");
    assertThat(
            DatabaseAddress.of("jdbc:postgresql://a/b?sslmode=disable", env)
                .orElseThrow()
                .jdbcUrl())
        .isEqualTo("jdbc:postgresql://a/b?sslmode=disable");
  }

  @Test
  void withoutHostAndDatabaseNoDatabaseIsNamed() {
    assertThat(DatabaseAddress.of(null, Map.of("PGUSER", "me", "PGPASSWORD", "x"))).isEmpty();
  }

  @Test
  void anEmptyVariableIsNotSet() {
    assertThat(DatabaseAddress.of(null, Map.of("PGHOST", "", "PGDATABASE", ""))).isEmpty();
    assertThat(
            DatabaseAddress.of(
                    null, Map.of("PGHOST", "", "PGDATABASE", "d", "PGPORT", "", "PGUSER", "u"))
                .orElseThrow()
                .jdbcUrl())
        .isEqualTo("jdbc:postgresql://localhost:5432/d?user=u");
  }

  @Test
  void anInvalidPortIsReported() {
    for (String port : new String[] {"abc", "0", "65536", "5432/x"}) {
      assertThatThrownBy(() -> DatabaseAddress.of(null, Map.of("PGHOST", "h", "PGPORT", port)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("PGPORT is '" + port + "'");
    }
  }

  @Test
  void theEnvironmentIsReadAsPostgresProgramsReadIt() {
    Map<String, String> env =
        Map.of(
            "PGHOST", "db.example.org",
            "PGPORT", "5433",
            "PGDATABASE", "a b",
            "PGUSER", "me&you",
            "PGPASSWORD", "p=w",
            "PGSSLMODE", "require");
    assertThat(DatabaseAddress.of(null, env).orElseThrow().jdbcUrl())
        .isEqualTo(
            "jdbc:postgresql://db.example.org:5433/a+b?user=me%26you&password=p%3Dw&sslmode=require");
    assertThat(
            DatabaseAddress.of(null, Map.of("PGDATABASE", "d", "PGUSER", "u"))
                .orElseThrow()
                .jdbcUrl())
        .isEqualTo("jdbc:postgresql://localhost:5432/d?user=u");
    assertThat(
            DatabaseAddress.of(null, Map.of("PGHOST", "::1", "PGUSER", "u"))
                .orElseThrow()
                .jdbcUrl())
        .isEqualTo("jdbc:postgresql://[::1]:5432/u?user=u");
  }

  @Test
  void aHostThatJavaCannotReachIsRefusedInASentence() {
    assertThatThrownBy(() -> DatabaseAddress.of(null, Map.of("PGHOST", "/run/postgresql")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/run/postgresql")
        .hasMessageContaining("--url");
    assertThatThrownBy(() -> DatabaseAddress.of("postgres://u:secret@h/d", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:postgresql:")
        .hasMessageNotContaining("secret");
  }

  @Test
  void toStringOmitsThePassword() {
    assertThat(DatabaseAddress.of("jdbc:postgresql://h/d?password=secret", Map.of()).orElseThrow())
        .asString()
        .doesNotContain("secret");
  }
}
