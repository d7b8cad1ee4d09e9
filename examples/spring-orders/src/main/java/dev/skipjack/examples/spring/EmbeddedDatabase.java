package dev.skipjack.examples.spring;

import dev.skipjack.embedded.EmbeddedPostgres;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Starts an embedded PostgreSQL if no database is configured, so that the example needs no setup.
 */
final class EmbeddedDatabase
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final String URL = "spring.datasource.url";

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ConfigurableEnvironment environment = context.getEnvironment();
    if (environment.containsProperty(URL)) {
      return;
    }
    EmbeddedPostgres server =
        EmbeddedPostgres.builder().purpose("spring-orders").stopAtExit(false).start();
    // Runs after the contexts are closed, because the worker's last statements need the server.
    SpringApplication.getShutdownHandlers().add(server::close);
    environment
        .getPropertySources()
        .addFirst(
            new MapPropertySource("embedded-database", Map.of(URL, server.jdbcUrl("postgres"))));
  }
}
