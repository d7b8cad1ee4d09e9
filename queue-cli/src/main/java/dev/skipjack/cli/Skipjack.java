package dev.skipjack.cli;

import dev.skipjack.cli.demo.DemoCommand;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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

  /** For picocli, which sets the fields. */
  @SuppressWarnings("NullAway.Init") // picocli injects the spec before anything runs
  public Skipjack() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    Logger.getLogger("").setLevel(Level.WARNING);
    System.exit(commandLine().execute(args));
  }

  /** The whole command line, ready to execute. */
  public static CommandLine commandLine() {
    return new CommandLine(new Skipjack())
        .setParameterExceptionHandler(Skipjack::explain)
        .setExecutionExceptionHandler(Skipjack::report);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }

  /** One sentence instead of the whole usage text, which scrolls the reason away. */
  private static int explain(ParameterException refused, String[] args) {
    CommandSpec command = refused.getCommandLine().getCommandSpec();
    refused
        .getCommandLine()
        .getErr()
        .printf(
            "%s: %s%nTry '%s --help'.%n",
            command.qualifiedName(), refused.getMessage(), command.qualifiedName());
    return CommandLine.ExitCode.USAGE;
  }

  private static int report(
      Exception failed, CommandLine commandLine, CommandLine.ParseResult parsed) {
    String reason = failed.getMessage();
    commandLine
        .getErr()
        .printf(
            "%s: %s%n",
            commandLine.getCommandSpec().qualifiedName(),
            reason == null ? failed.toString() : reason);
    return CommandLine.ExitCode.SOFTWARE;
  }
}
