package dev.skipjack.embedded;

/** Quotes words for a POSIX shell. */
final class Shell {

  private Shell() {}

  /** Returns the word, quoted so that the shell reads it unchanged, whatever it contains. */
  static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
