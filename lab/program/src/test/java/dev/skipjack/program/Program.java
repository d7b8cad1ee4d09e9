package dev.skipjack.program;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * The result of running the lab's program inside this JVM.
 *
 * @param exitCode the exit code with which {@code main} would have ended the JVM
 */
record Program(int exitCode, String out, String err) {

  static Program run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        LabProgram.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return new Program(commandLine.execute(args), out.toString(), err.toString());
  }
}
