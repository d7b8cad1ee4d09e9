package dev.skipjack.examples.first;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.testkit.QueueDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FirstJobTest {

  /** PostgreSQL reports an unknown user and a wrong password in the same way. */
  @ParameterizedTest
  @ValueSource(strings = {"user", "password"})
  void aWrongLoginIsReportedWithTheFix(String wrong) {
    try (QueueDatabase database = QueueDatabase.create()) {
      String url = database.jdbcUrl().replaceAll(wrong + "=[^&]*", wrong + "=mistyped");
      assertThatThrownBy(() -> FirstJob.main(new String[] {url}))
          .hasMessageContaining("password authentication failed for user")
          .hasMessageEndingWith("Correct the user or the password of the data source.");
    }
  }

  @Test
  void aMissingDriverIsReportedWithTheFix() {
    assertThatThrownBy(() -> FirstJob.main(new String[] {"jdbc:nothing://host/shop"}))
        .hasMessageEndingWith("Add org.postgresql:postgresql to the class path.");
  }

  /** Runs the program as the README says, in a process of its own, in an empty database. */
  @Test
  @Timeout(60)
  void theProgramOfTheReadmeRunsItsJob() throws IOException, InterruptedException {
    try (QueueDatabase database = QueueDatabase.create()) {
      Process program =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  FirstJob.class.getName(),
                  database.jdbcUrl())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (BufferedReader output =
          new BufferedReader(
              new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
        String line = output.readLine();
        while (line != null && !line.startsWith("Welcome")) {
          line = output.readLine();
        }
        assertThat(line).isEqualTo("Welcome, ada@example.org");
      } finally {
        program.destroy();
        program.waitFor(30, TimeUnit.SECONDS);
      }
    }
  }
}
