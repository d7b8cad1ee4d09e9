package dev.skipjack.release;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs a program, which must end without an error. */
final class Command {

  private final Path folder;
  private final Map<String, String> environment = new HashMap<>();

  private Command(Path folder) {
    this.folder = folder;
  }

  static Command in(Path folder) {
    return new Command(folder);
  }

  Command environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Runs the program, and returns the lines that it wrote, including those to standard error. */
  List<String> run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().putAll(environment);
    Process process = builder.start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
    assertThat(process.waitFor())
        .as("%s wrote:%n%s", Arrays.toString(command), String.join("\n", lines))
        .isZero();
    return lines;
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
