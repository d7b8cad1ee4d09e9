package dev.skipjack.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A separate JVM that owns a server until a test ends or kills the JVM.
 *
 * @param pid the server's process id
 * @param data the server's data folder
 */
record ServerHolder(Process jvm, long pid, int port, boolean adopted, Path data) {

  /** Runs the server in the other JVM until standard input ends. The argument is the purpose. */
  public static void main(String[] arguments) throws IOException {
    EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().purpose(arguments[0]).setting("fsync", "off").start();
    System.out.printf(
        "READY %d %d %b %s%n",
        postgres.postmasterPid(), postgres.port(), postgres.adopted(), postgres.dataFolder());
    System.exit(Math.max(0, System.in.read()));
  }

  static ServerHolder fork(Path folder, String purpose) throws IOException {
    return started(
        launch(
            System.getProperty("java.class.path"),
            List.of("-D" + BaseFolder.FOLDER_PROPERTY + "=" + folder),
            purpose,
            UnaryOperator.identity()));
  }

  /** Starts the JVM without waiting for its server. */
  static Process launch(
      String classPath, List<String> options, String purpose, UnaryOperator<List<String>> wrapping)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classPath));
    command.addAll(options);
    command.addAll(List.of(ServerHolder.class.getName(), purpose));
    ProcessBuilder builder = new ProcessBuilder(wrapping.apply(command));
    builder.directory(new File("/"));
    builder.environment().remove("XDG_CACHE_HOME");
    return builder.redirectErrorStream(true).start();
  }

  /** Waits until the JVM reports that its server is running. */
  static ServerHolder started(Process jvm) throws IOException {
    List<String> seen = new ArrayList<>();
    // The reader is not closed, because that would close the pipe of a JVM that still writes.
    BufferedReader output = jvm.inputReader(UTF_8);
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      seen.add(line);
      if (line.startsWith("READY ")) {
        List<String> words = Arrays.asList(line.split(" ", 5));
        return new ServerHolder(
            jvm,
            Long.parseLong(words.get(1)),
            Integer.parseInt(words.get(2)),
            Boolean.parseBoolean(words.get(3)),
            Path.of(words.get(4)));
      }
    }
    throw new AssertionError("The other JVM did not start a server: " + seen);
  }

  void kill() throws InterruptedException {
    jvm.destroyForcibly().waitFor();
  }

  /** Ends the JVM in the normal way and waits for it. */
  void end() throws IOException, InterruptedException {
    jvm.outputWriter(UTF_8).close();
    jvm.waitFor();
  }

  boolean serverIsAlive() {
    return new Postmaster(pid, port, true).isAlive();
  }
}
