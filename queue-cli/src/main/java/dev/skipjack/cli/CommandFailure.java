package dev.skipjack.cli;

/** Ends a command with one sentence on standard error and an exit code. */
final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private CommandFailure(int exitCode, String sentence) {
    super(sentence);
    this.exitCode = exitCode;
  }

  /** Returns a failure for wrong usage or input. */
  static CommandFailure input(String sentence) {
    return new CommandFailure(ExitCodes.USAGE, sentence);
  }

  /** Returns a failure for a command that found nothing to show or change. */
  static CommandFailure nothing(String sentence) {
    return new CommandFailure(ExitCodes.NOTHING_MATCHED, sentence);
  }

  /** Returns a failure for a command whose change the user declined. */
  static CommandFailure declined() {
    return new CommandFailure(ExitCodes.BAD_NEWS, "Nothing was changed.");
  }

  int exitCode() {
    return exitCode;
  }
}
