package dev.skipjack.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * The program run inside this JVM.
 *
 * @param exitCode what {@code main} would have ended the JVM with
 */
record Program(int exitCode, String out, String err) {

  /** Runs it to its end. */
  static Program run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Skipjack.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = commandLine.execute(args);
    return new Program(exitCode, out.toString(), err.toString());
  }
}
