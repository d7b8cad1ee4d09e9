package dev.skipjack.cli.demo;

/**
 * What the user asked for cannot be done here; the message says why, in a sentence for the user.
 */
final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  RefusedException(String sentence) {
    super(sentence);
  }
}
