package dev.skipjack.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code skipjack completion}. */
@Command(
    name = "completion",
    description = {
      "Print a script with which bash and zsh complete commands and options.",
      "To use it, add to ~/.bashrc or ~/.zshrc: source <(skipjack completion)"
    },
    mixinStandardHelpOptions = true,
    footer = ExitCodes.FOOTER)
final class CompletionCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the spec before the command runs
  CompletionCommand() {}

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(AutoComplete.bash("skipjack", spec.root().commandLine()));
    spec.commandLine().getOut().flush();
    return ExitCodes.DONE;
  }
}
