package dev.skipjack.program;

import dev.skipjack.cli.Skipjack;
import picocli.CommandLine;

/**
 * The operator's command line with the commands {@code demo}, {@code bench} and {@code torture}.
 */
public final class LabProgram {

  private LabProgram() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Skipjack.run(commandLine(), args);
  }

  static CommandLine commandLine() {
    return Skipjack.commandLine(new DemoCommand(), new BenchCommand(), new TortureCommand());
  }
}
