package dev.skipjack.demo;

/**
 * Thrown if a line of the input cannot be used. The lines before it were sent; the user must fix
 * the line and send the rest.
 */
final class BadInputException extends RefusedException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message contains the position and the reason. */
  BadInputException(String source, long line, String reason) {
    super("%s:%d: %s".formatted(source, line, reason));
  }

  /** Creates an exception for an input that cannot be read at all. */
  BadInputException(String source, String reason) {
    super("%s: %s".formatted(source, reason));
  }
}
