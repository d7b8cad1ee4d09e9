package dev.skipjack.program;

import dev.skipjack.cli.DatabaseAddress;
import java.io.PrintWriter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that the three commands share, and the destinations of their output. */
final class CommonOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--url",
      paramLabel = "JDBC_URL",
      description =
          "JDBC URL of the database to use. Pass the password in PGPASSWORD, which process lists do not show.")
  private @Nullable String url;

  @Option(
      names = "--json",
      description = "Print the report as one line of JSON, the last line on standard output.")
  private boolean json;

  @SuppressWarnings("NullAway.Init") // picocli injects the command before it runs
  CommonOptions() {}

  boolean json() {
    return json;
  }

  boolean hasUrl() {
    return url != null;
  }

  /**
   * Returns the database that {@code --url} names, for commands that drop existing schemas. The
   * environment may supply the password, but never selects the database for such a command.
   *
   * @throws IllegalArgumentException if the database cannot be used; the message is a sentence for
   *     the user
   */
  Optional<String> namedDatabase() {
    return hasUrl() ? database().map(DatabaseAddress::jdbcUrl) : Optional.empty();
  }

  /**
   * Returns the database that {@code --url} or, without it, the environment names.
   *
   * @throws IllegalArgumentException if the database cannot be used; the message is a sentence for
   *     the user
   */
  Optional<DatabaseAddress> database() {
    return DatabaseAddress.of(url, System.getenv());
  }

  /** Returns the exception for wrong usage, which causes exit code 2. */
  ParameterException refused(RuntimeException reason) {
    return new ParameterException(command.commandLine(), String.valueOf(reason.getMessage()));
  }

  PrintWriter out() {
    return command.commandLine().getOut();
  }

  PrintWriter err() {
    return command.commandLine().getErr();
  }

  void note(String sentence) {
    err().println(sentence);
    err().flush();
  }
}
