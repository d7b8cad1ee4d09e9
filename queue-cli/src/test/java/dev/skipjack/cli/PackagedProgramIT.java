package dev.skipjack.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the packaged program, which contains the dependencies of the module but not those of its
 * tests. The other tests would not notice a dependency that the package lacks. The build runs this
 * class after it has created the package.
 */
@QueueTest
class PackagedProgramIT {

  private static final Path PROGRAM = Path.of("target/skipjack.jar");

  private Path folder;

  @BeforeEach
  void requireThePackage(@TempDir Path folder) {
    this.folder = folder;
    assertThat(PROGRAM).as("the program, which Maven's phase 'package' creates").exists();
  }

  @Test
  void theProgramContainsNeitherAServerNorTheLab() throws IOException {
    try (JarFile program = new JarFile(PROGRAM.toFile())) {
      List<String> entries = program.stream().map(JarEntry::getName).toList();
      assertThat(entries).contains("dev/skipjack/cli/Skipjack.class");
      assertThat(entries)
          .noneMatch(
              entry ->
                  entry.matches(
                      "dev/skipjack/(embedded|faults|testkit|benchmarks|torture|demo|rivals|program)/.*"))
          .noneMatch(entry -> entry.endsWith(".txz"));
    }
  }

  @Test
  void theOperatorsCommandsRun(QueueDatabase database) throws Exception {
    assertThat(skipjack("version").out()).startsWith("skipjack ");
    Shop.queue(database).enqueue(Shop.RECEIPT, "{\"order\": 1}");
    Program list = skipjack("jobs", "list", "--json", "--url", database.jdbcUrl());
    assertThat(list).isEqualTo(new Program(0, list.out(), ""));
    assertThat(list.out()).contains("\"kind\":\"send-receipt\"");
    assertThat(skipjack("migrate", "--check", "--url", database.jdbcUrl()).exitCode()).isZero();
  }

  private Program skipjack(String... arguments) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                PROGRAM.toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("the program ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Program(
        process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
  }
}
