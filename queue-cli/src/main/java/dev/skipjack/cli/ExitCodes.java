package dev.skipjack.cli;

/** The exit codes of all commands. */
final class ExitCodes {

  static final int DONE = 0;

  /** The command failed, or its result is bad news: a check is red, or a change was refused. */
  static final int BAD_NEWS = 1;

  static final int USAGE = 2;
  static final int UNREACHABLE = 3;
  static final int NOTHING_MATCHED = 4;

  /** The last line of each command's help. */
  static final String FOOTER =
      "%nExit codes: 0 done, 1 failed or bad news, 2 wrong usage or input, 3 database unreachable, 4 nothing matched.";

  private ExitCodes() {}
}
