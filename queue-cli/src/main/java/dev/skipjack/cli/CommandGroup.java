package dev.skipjack.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups subcommands, one of which must be named. */
@Command(
    mixinStandardHelpOptions = true,
    versionProvider = ProgramVersion.class,
    synopsisSubcommandLabel = "COMMAND")
abstract class CommandGroup implements Runnable {

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the spec before the command runs
  CommandGroup() {}

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(),
        "No command was given. Available commands: %s."
            .formatted(String.join(", ", spec.subcommands().keySet())));
  }
}
