package dev.skipjack.cli;

import java.io.Console;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The inputs that the program takes from its process.
 *
 * @param variables the environment variables
 * @param home the user's home folder
 * @param terminal whether standard input and standard output are a terminal
 */
record Environment(Map<String, String> variables, Path home, boolean terminal) {

  /** Returns the environment of this process. */
  static Environment ofProcess() {
    return new Environment(
        System.getenv(), Path.of(System.getProperty("user.home")), isTerminal(System.console()));
  }

  private static boolean isTerminal(@Nullable Console console) {
    if (console == null) {
      return false;
    }
    try {
      // Java 22 and later always has a console, which reports whether it is a terminal.
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException before22) {
      return true;
    }
  }

  /** Returns the folder of the user's configuration. */
  Path configuration() {
    String folder = variables.get("XDG_CONFIG_HOME");
    return (folder == null || folder.isEmpty() ? home.resolve(".config") : Path.of(folder))
        .resolve("skipjack");
  }
}
