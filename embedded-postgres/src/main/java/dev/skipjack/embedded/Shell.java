package dev.skipjack.embedded;

/** Words for a POSIX shell. */
final class Shell {

  private Shell() {}

  /** The word as the shell reads it back unchanged, whatever it contains. */
  static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
