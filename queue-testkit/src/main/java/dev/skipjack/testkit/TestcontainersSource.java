package dev.skipjack.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * A source that starts a container, which Testcontainers removes when the JVM exits. This class is
 * loaded only if Testcontainers is on the class path.
 */
final class TestcontainersSource implements PostgresSource {

  static final String LIBRARY_CLASS = "org.testcontainers.postgresql.PostgreSQLContainer";

  private static final String IMAGE = "postgres:";
  private static final int USUAL_MAJOR = 18;

  private final OptionalInt major;

  TestcontainersSource(OptionalInt major) {
    this.major = major;
  }

  String image() {
    return IMAGE + major.orElse(USUAL_MAJOR);
  }

  @Override
  public String name() {
    return "a container of " + image();
  }

  @Override
  public String adviceFor(int wanted) {
    return "Is another image called %s on this machine? (%s.)"
        .formatted(IMAGE + wanted, PostgresMajor.HOW);
  }

  @Override
  public Server start() {
    List<String> command = new ArrayList<>(List.of("postgres"));
    PostgresSources.SETTINGS.forEach(
        (name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    PostgreSQLContainer container =
        new PostgreSQLContainer(image()).withCommand(command.toArray(String[]::new));
    container.start();
    String url =
        "jdbc:postgresql://"
            + container.getHost()
            + ":"
            + container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT)
            + "/"
            + container.getDatabaseName()
            + "?user="
            + container.getUsername()
            + "&password="
            + container.getPassword();
    return new UrlSource(url, true, container::stop).start();
  }
}
