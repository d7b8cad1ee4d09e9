package dev.skipjack.cli;

import java.net.UnknownHostException;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root of the command line. */
@Command(
    name = "skipjack",
    description = "The PostgreSQL job queue for the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = ProgramVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {DemoCommand.class, BenchCommand.class, TortureCommand.class, HelpCommand.class})
public final class Skipjack implements Runnable {

  @Spec private CommandSpec spec;

  /** Used by picocli, which sets the fields. */
  @SuppressWarnings("NullAway.Init") // picocli injects the spec before anything runs
  public Skipjack() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    Logger.getLogger("").setLevel(Level.WARNING);
    System.exit(commandLine().execute(args));
  }

  /** Returns the complete command line, ready to execute. */
  static CommandLine commandLine() {
    return new CommandLine(new Skipjack())
        .setParameterExceptionHandler(Skipjack::explain)
        .setExecutionExceptionHandler(Skipjack::report);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "No command was given.");
  }

  /**
   * Prints one sentence instead of the whole usage text, which would scroll the reason out of view.
   */
  private static int explain(ParameterException refused, String[] args) {
    CommandSpec command = refused.getCommandLine().getCommandSpec();
    refused
        .getCommandLine()
        .getErr()
        .printf(
            "%s: %s%nTry '%s --help'.%n",
            command.qualifiedName(), sentence(refused), command.qualifiedName());
    return CommandLine.ExitCode.USAGE;
  }

  /** Returns the reason; for an unexpected argument it lists what is allowed. */
  private static @Nullable String sentence(ParameterException refused) {
    if (!(refused instanceof UnmatchedArgumentException unmatched) || unmatched.isUnknownOption()) {
      return refused.getMessage();
    }
    CommandSpec command = refused.getCommandLine().getCommandSpec();
    String words = String.join(" ", unmatched.getUnmatched());
    if (!command.subcommands().isEmpty()) {
      return "Unknown command '%s'. Available commands: %s."
          .formatted(words, String.join(", ", command.subcommands().keySet()));
    }
    String options =
        command.options().stream()
            .filter(option -> !option.hidden())
            .map(OptionSpec::longestName)
            .collect(Collectors.joining(", "));
    return "Unexpected argument '%s'. Allowed are %s%s."
        .formatted(
            words,
            command.positionalParameters().isEmpty() ? "" : "one NAME and the options ",
            options);
  }

  /**
   * Returns what failed, with the root cause if the message omits it: a pool's message does not
   * name the host.
   */
  static String reason(Throwable failed) {
    String message = failed.getMessage();
    String reason = message == null ? failed.toString() : message;
    Throwable root = failed;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String cause =
        root instanceof UnknownHostException
            ? "unknown host '%s'".formatted(root.getMessage())
            : String.valueOf(root.getMessage());
    return root == failed || root.getMessage() == null || reason.contains(root.getMessage())
        ? reason
        : reason.replaceFirst("[.\\s]+$", "") + ": " + cause + ".";
  }

  private static int report(
      Exception failed, CommandLine commandLine, CommandLine.ParseResult parsed) {
    commandLine
        .getErr()
        .printf("%s: %s%n", commandLine.getCommandSpec().qualifiedName(), reason(failed));
    return CommandLine.ExitCode.SOFTWARE;
  }
}
