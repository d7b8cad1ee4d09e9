package dev.skipjack.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The programs of this machine: which exist, and their results. Tests put one in front that hides
 * some of them.
 */
interface Commands {

  /** The full path of a program, or null when the machine has none of that name. */
  @Nullable Path find(String program);

  /**
   * Runs a command to its end. Does not end early when the calling thread is interrupted: a server
   * must also be stopped by a thread that is being shut down.
   *
   * @param input what the command reads from its standard input
   * @param limit after this the command is killed and the result is not {@linkplain Result#ok() ok}
   */
  Result run(List<String> command, String input, Duration limit);

  /** The result of a command; {@code output} is standard output and standard error together. */
  record Result(int exitCode, String output) {

    boolean ok() {
      return exitCode == 0;
    }

    /**
     * The last line that is not blank: what comes before it may be a greeting of {@code su} or a
     * warning.
     */
    String lastLine() {
      String[] lines = output.strip().split("\n", -1);
      return lines[lines.length - 1].strip();
    }
  }
}
