package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The servers of one test class, which share a folder. */
final class TestServers {

  private final Path folder;

  TestServers() throws IOException {
    folder = TestFolder.make();
  }

  Path folder() {
    return folder;
  }

  /**
   * Returns a builder for a server. All servers share the unpacked binaries; only those with the
   * same purpose share data.
   */
  EmbeddedPostgres.Builder at(String purpose) {
    return EmbeddedPostgres.builder().folder(folder).purpose(purpose).setting("fsync", "off");
  }

  /** Kills servers that are still running, removes the folder, and fails if it had to kill any. */
  void close() throws IOException {
    List<Long> left = processesBelow(folder);
    left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    TestFolder.remove(folder);
    assertThat(left).isEmpty();
  }

  static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("postgres"));
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return String.valueOf(result.getString(1));
    }
  }

  static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Returns the ids of the server processes whose data is below the folder, including the
   * postmasters' children.
   */
  static List<Long> processesBelow(Path place) {
    List<Long> postmasters = postmastersBelow(place);
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                postmasters.contains(process.pid())
                    || process
                        .parent()
                        .map(ProcessHandle::pid)
                        .filter(postmasters::contains)
                        .isPresent())
        .map(ProcessHandle::pid)
        .collect(Collectors.toList());
  }

  static List<Long> postmastersBelow(Path place) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().command().filter(command -> command.endsWith("postgres")).isPresent()
                    && process
                        .info()
                        .arguments()
                        .map(Arrays::asList)
                        .filter(
                            arguments ->
                                arguments.stream()
                                    .anyMatch(word -> word.startsWith(place.toString())))
                        .isPresent())
        .map(ProcessHandle::pid)
        .collect(Collectors.toList());
  }
}
