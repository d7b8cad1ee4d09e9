package dev.skipjack.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A separate JVM that runs a program of this class path. The program reads its commands from
 * standard input, the first of which is the URL of the database, and prints its results on standard
 * output.
 */
final class JavaProcess implements AutoCloseable {

  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  /** Starts the process; {@link #close} ends it. */
  JavaProcess(Class<?> program, BenchmarkDatabase database) throws IOException {
    this.process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-Dorg.jooq.no-logo=true",
                    "-Dorg.jooq.no-tips=true",
                    "-cp",
                    System.getProperty("java.class.path"),
                    program.getName()))
            .redirectError(Redirect.INHERIT)
            .start();
    this.in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    // Not as an argument: the URL may contain a password, and the process list shows arguments.
    send(database.jdbcUrl());
  }

  void send(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /**
   * Returns the next line that the program has printed.
   *
   * @throws IllegalStateException if the program has ended
   */
  String read() throws IOException, InterruptedException {
    String line = out.readLine();
    if (line == null) {
      throw new IllegalStateException(
          "A process of the benchmark exited with code " + process.waitFor());
    }
    return line;
  }

  /** Returns the CPU time that the process has used. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    process.destroy();
  }
}
