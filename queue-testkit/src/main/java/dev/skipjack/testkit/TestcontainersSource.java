package dev.skipjack.testkit;

import java.util.ArrayList;
import java.util.List;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * A container, removed by Testcontainers when this JVM ends. Loaded only where that library is on
 * the class path.
 */
final class TestcontainersSource implements PostgresSource {

  static final String LIBRARY_CLASS = "org.testcontainers.postgresql.PostgreSQLContainer";

  private static final String IMAGE = "postgres:18";

  @Override
  public Server start() {
    List<String> command = new ArrayList<>(List.of("postgres"));
    PostgresSources.SETTINGS.forEach(
        (name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    PostgreSQLContainer container =
        new PostgreSQLContainer(IMAGE).withCommand(command.toArray(String[]::new));
    container.start();
    UrlSource server =
        new UrlSource(
            "jdbc:postgresql://%s:%d/%s?user=%s&password=%s"
                .formatted(
                    container.getHost(),
                    container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
                    container.getDatabaseName(),
                    container.getUsername(),
                    container.getPassword()),
            true);
    return server.start();
  }
}
