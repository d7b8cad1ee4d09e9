package dev.skipjack.cli;

import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Scanner;
import java.util.Set;
import picocli.CommandLine.Option;

/** Asks the user to confirm a command that changes many jobs or deletes something. */
final class Confirmation {

  private static final Set<String> YES = Set.of("y", "yes");

  private final Environment environment;

  @Option(
      names = "--yes",
      description = "Do not ask. Required if the command does not run on a terminal.")
  private boolean yes;

  Confirmation(Environment environment) {
    this.environment = environment;
  }

  /**
   * Asks the user to confirm.
   *
   * @throws CommandFailure if the user declines, or no terminal is available for the question
   */
  void require(String question, Output output) {
    if (yes) {
      return;
    }
    if (!environment.terminal()) {
      throw CommandFailure.input(
          "%s Add --yes to confirm, because there is no terminal to ask on.".formatted(question));
    }
    output.note(question + " [y/N]");
    Scanner input = new Scanner(System.in, Charset.defaultCharset());
    String reply = input.hasNextLine() ? input.nextLine() : "";
    if (!YES.contains(reply.strip().toLowerCase(Locale.ROOT))) {
      throw CommandFailure.declined();
    }
  }
}
