package dev.skipjack.cli;

import java.io.PrintWriter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that commands share, and where their output goes. */
final class CommonOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--url",
      paramLabel = "JDBC_URL",
      description =
          "Use this database. Its password may come from PGPASSWORD, which no list of processes shows.")
  private @Nullable String url;

  @Option(
      names = "--json",
      description = "Report as one line of JSON, the last on standard output.")
  private boolean json;

  @SuppressWarnings("NullAway.Init") // picocli injects the command before anything runs
  CommonOptions() {}

  boolean json() {
    return json;
  }

  boolean hasUrl() {
    return url != null;
  }

  /**
   * The database that {@code --url} names, for commands that drop what they find: nobody names a
   * database in the environment for that. Its password may come from the environment.
   *
   * @throws IllegalArgumentException if it cannot be used; the message is a sentence for the user
   */
  Optional<String> namedDatabase() {
    return hasUrl() ? database().map(DatabaseAddress::jdbcUrl) : Optional.empty();
  }

  /**
   * The database that {@code --url} or else the environment names.
   *
   * @throws IllegalArgumentException if it cannot be used; the message is a sentence for the user
   */
  Optional<DatabaseAddress> database() {
    return DatabaseAddress.of(url, System.getenv());
  }

  /** Wrong usage, with exit code 2. */
  ParameterException refused(RuntimeException reason) {
    return new ParameterException(command.commandLine(), String.valueOf(reason.getMessage()));
  }

  PrintWriter out() {
    return command.commandLine().getOut();
  }

  PrintWriter err() {
    return command.commandLine().getErr();
  }

  /** Writes a line for people. */
  void tell(String sentence) {
    err().println(sentence);
    err().flush();
  }
}
