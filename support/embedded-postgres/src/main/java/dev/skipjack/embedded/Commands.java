package dev.skipjack.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds and runs the programs of this machine. Tests use an implementation that hides some of them.
 */
interface Commands {

  /** Returns the full path of a program, or null if there is none with that name. */
  @Nullable Path find(String program);

  /**
   * Runs a command until it exits. This method does not return early if the calling thread is
   * interrupted, because a server must be stopped even by a thread that is being shut down.
   *
   * @param input the standard input of the command
   * @param limit the time after which the command is killed, in which case the result is not
   *     {@linkplain Result#ok() ok}
   */
  Result run(List<String> command, String input, Duration limit);

  /** The result of a command. The {@code output} combines standard output and standard error. */
  record Result(int exitCode, String output) {

    boolean ok() {
      return exitCode == 0;
    }

    /**
     * Returns the last line that is not blank. Earlier lines may be warnings or a greeting printed
     * by {@code su}.
     */
    String lastLine() {
      String[] lines = output.strip().split("\n", -1);
      return lines[lines.length - 1].strip();
    }
  }
}
