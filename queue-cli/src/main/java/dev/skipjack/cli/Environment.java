package dev.skipjack.cli;

import java.io.Console;
import java.net.InetAddress;
import java.net.UnknownHostException;
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

  private static final int LONGEST_ACTOR = 200;

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

  /**
   * Returns the name under which the user's changes are recorded: {@code SKIPJACK_ACTOR} or, if it
   * is not set, user and host. The variable distinguishes the users of a shared account.
   */
  String actor() {
    String given = variables.getOrDefault("SKIPJACK_ACTOR", "").strip();
    String name =
        given.isEmpty() ? System.getProperty("user.name", "unknown") + "@" + host() : given;
    return name.substring(0, Math.min(LONGEST_ACTOR, name.length()));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unresolved) {
      return "unknown";
    }
  }

  Path configuration() {
    String folder = variables.get("XDG_CONFIG_HOME");
    return (folder == null || folder.isEmpty() ? home.resolve(".config") : Path.of(folder))
        .resolve("skipjack");
  }
}
