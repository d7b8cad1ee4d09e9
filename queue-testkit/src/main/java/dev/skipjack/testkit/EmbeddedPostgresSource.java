package dev.skipjack.testkit;

import dev.skipjack.embedded.EmbeddedPostgres;

/** A server of our own, stopped when this JVM ends. */
final class EmbeddedPostgresSource implements PostgresSource {

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
    };
  }
}
