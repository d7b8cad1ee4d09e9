package dev.skipjack.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the packaged program, which contains the dependencies of the module but not those of its
 * tests. The other tests would not notice a dependency that the package lacks. The build runs this
 * class after it has created the package.
 */
class PackagedProgramIT {

  private static final Path PROGRAM = Path.of("target/skipjack-lab.jar");

  private Path folder;

  @BeforeEach
  void requireThePackage(@TempDir Path folder) {
    this.folder = folder;
    assertThat(PROGRAM).as("the program, which Maven's phase 'package' creates").exists();
  }

  /** The demo uses most of the libraries: the worker, the migrations and the embedded server. */
  @Test
  void theDemoVerifiesItsJobsOnItsOwnServer() throws Exception {
    Program demo = skipjack("demo", "--jobs", "200", "--json");
    assertThat(demo.err()).doesNotContain("Exception", "NoClassDefFoundError");
    assertThat(demo.exitCode()).isZero();
    assertThat(demo.out()).contains("\"verified\":true");
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
