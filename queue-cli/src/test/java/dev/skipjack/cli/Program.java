package dev.skipjack.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;

/**
 * The result of running the program inside this JVM.
 *
 * @param exitCode the exit code with which {@code main} would have ended the JVM
 */
record Program(int exitCode, String out, String err) {

  /** Runs the program until it ends. */
  static Program run(String... args) {
    return run(Skipjack.commandLine(), args);
  }

  /** Runs the program with the given environment variables and without a terminal. */
  static Program run(Map<String, String> variables, Path home, String... args) {
    return run(Skipjack.commandLine(new Environment(variables, home, false)), args);
  }

  static Program run(CommandLine commandLine, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = commandLine.execute(args);
    return new Program(exitCode, out.toString(), err.toString());
  }
}
