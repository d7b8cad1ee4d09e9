package dev.skipjack.cli;

import dev.skipjack.api.JobId;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The root of the operator's command line. Another program can {@linkplain #commandLine(Object...)
 * add commands} to it and {@linkplain #run run} the result.
 */
@Command(
    name = "skipjack",
    description = "The PostgreSQL job queue for the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = ProgramVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "%nIn a clone of the repository, ./skipjack also runs demo, bench and torture.",
      ExitCodes.FOOTER
    },
    subcommands = {
      JobsCommand.class,
      WhyCommand.class,
      DoctorCommand.class,
      QueuesCommand.class,
      LimitsCommand.class,
      GroupsCommand.class,
      DeadCommand.class,
      OperationsCommand.class,
      KeysCommand.class,
      SignalsCommand.class,
      OutboxCommand.class,
      SchedulesCommand.class,
      WorkersCommand.class,
      StatsCommand.class,
      DashboardCommand.class,
      EnqueueCommand.class,
      ImportCommand.class,
      RescueCommand.class,
      PruneCommand.class,
      MigrateCommand.class,
      RolesCommand.class,
      VersionCommand.class,
      CompletionCommand.class,
      HelpCommand.class
    })
public final class Skipjack implements Runnable {

  /** The commands that only the program of the module lab/program has. */
  private static final List<String> ONLY_IN_A_CLONE = List.of("demo", "bench", "torture");

  @Spec private CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of a failure.")
  private boolean debug;

  /** Used by picocli, which sets the fields. */
  @SuppressWarnings("NullAway.Init") // picocli injects the spec before the command runs
  public Skipjack() {}

  /**
   * Runs one command of an operator and ends the JVM with its exit code.
   *
   * @param args the arguments
   */
  public static void main(String[] args) {
    run(commandLine(), args);
  }

  /**
   * Runs one command and ends the JVM with its exit code.
   *
   * @param commandLine the command line
   * @param args the arguments
   */
  public static void run(CommandLine commandLine, String... args) {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    Logger.getLogger("").setLevel(Level.WARNING);
    System.exit(commandLine.execute(args));
  }

  /**
   * {@return the command line, ready to execute, in the environment of the process}
   *
   * @param more objects annotated with picocli's {@code @Command}, which become additional commands
   */
  public static CommandLine commandLine(Object... more) {
    return commandLine(Environment.ofProcess(), more);
  }

  /**
   * Returns the command line with more commands. It uses the given environment instead of that of
   * the process.
   */
  static CommandLine commandLine(Environment environment, Object... more) {
    CommandLine commandLine = new CommandLine(new Skipjack(), new Creation(environment));
    // Picocli applies the settings below only to commands that were added before.
    for (Object command : more) {
      commandLine.addSubcommand(command);
    }
    return commandLine
        .registerConverter(Duration.class, new DurationText())
        .registerConverter(JobId.class, new JobIdText())
        .registerConverter(UUID.class, new EventIdText())
        .setCaseInsensitiveEnumValuesAllowed(true)
        // Producers choose arguments such as ordering keys, so picocli must not read an argument
        // that begins with @ as a file.
        .setExpandAtFiles(false)
        .setParameterExceptionHandler(Skipjack::explain)
        .setExecutionExceptionHandler(Skipjack::report);
  }

  /** Creates the objects that picocli needs. */
  private record Creation(Environment environment) implements IFactory {

    @Override
    public <K> K create(Class<K> type) throws Exception {
      if (type == DatabaseOptions.class) {
        return type.cast(new DatabaseOptions(environment));
      }
      if (type == Actor.class) {
        return type.cast(new Actor(environment));
      }
      if (type == DashboardCommand.class) {
        return type.cast(new DashboardCommand(environment));
      }
      return type == Confirmation.class
          ? type.cast(new Confirmation(environment))
          : CommandLine.defaultFactory().create(type);
    }
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "No command was given.");
  }

  /**
   * Prints one sentence rather than the full usage text, which would scroll the reason out of view.
   */
  private static int explain(ParameterException refused, String[] args) {
    CommandSpec command = refused.getCommandLine().getCommandSpec();
    refused
        .getCommandLine()
        .getErr()
        .printf(
            "%s: %s%nTry '%s --help'.%n",
            command.qualifiedName(),
            Cell.safe(Failures.withoutPasswords(String.valueOf(sentence(refused)), List.of(args))),
            command.qualifiedName());
    return CommandLine.ExitCode.USAGE;
  }

  /** Returns the reason and, for an unexpected argument, what is allowed. */
  private static @Nullable String sentence(ParameterException refused) {
    if (!(refused instanceof UnmatchedArgumentException unmatched) || unmatched.isUnknownOption()) {
      return refused.getMessage();
    }
    CommandSpec command = refused.getCommandLine().getCommandSpec();
    String words = String.join(" ", unmatched.getUnmatched());
    if (command.parent() == null && ONLY_IN_A_CLONE.contains(unmatched.getUnmatched().get(0))) {
      return "'%s' is not part of this program. In a clone of the repository, './skipjack %1$s' builds and runs it."
          .formatted(unmatched.getUnmatched().get(0));
    }
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

  private static int report(
      Exception failed, CommandLine commandLine, CommandLine.ParseResult parsed) {
    CommandSpec command = commandLine.getCommandSpec();
    if (command.root().userObject() instanceof Skipjack root && root.debug) {
      StringWriter trace = new StringWriter();
      failed.printStackTrace(new PrintWriter(trace));
      Failures.withoutPasswords(trace.toString(), parsed.originalArgs())
          .lines()
          .map(Cell::indented)
          .forEach(commandLine.getErr()::println);
    }
    commandLine
        .getErr()
        .printf(
            "%s: %s%n",
            command.qualifiedName(),
            Cell.safe(Failures.withoutPasswords(Failures.sentence(failed), parsed.originalArgs())));
    commandLine.getErr().flush();
    return Failures.exitCode(failed);
  }
}
