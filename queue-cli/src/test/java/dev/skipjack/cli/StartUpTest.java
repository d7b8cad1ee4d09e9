package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a command loads only what it needs, because loading classes takes most of the start-up
 * time.
 */
class StartUpTest {

  @Test
  void helpLoadsNeitherTheStoreNorItsLibraries(@TempDir Path folder) throws Exception {
    assertThat(loadedBy(folder, "--help"))
        .contains("dev.skipjack.cli.Skipjack")
        .doesNotContain(
            "org.flywaydb.", "dev.skipjack.embedded.", "org.jooq.", "org.postgresql.", "jackson");
  }

  @Test
  void aReadLoadsNeitherMigrationsNorAServer(@TempDir Path folder) throws Exception {
    assertThat(loadedBy(folder, "jobs", "show", "1", "--url", "jdbc:postgresql://127.0.0.1:1/x"))
        .contains("org.postgresql.", "org.jooq.")
        .doesNotContain(
            "org.flywaydb.", "dev.skipjack.embedded.", "com.zaxxer.hikari.", "jackson.databind");
  }

  private static String loadedBy(Path folder, String... arguments)
      throws IOException, InterruptedException {
    Path log = folder.resolve("classes.log");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xlog:class+load:file=" + log,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.skipjack.cli.Skipjack"));
    command.addAll(List.of(arguments));
    new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output.txt").toFile())
        .start()
        .waitFor();
    return Files.readString(log);
  }
}
