package dev.skipjack.examples.demo;

/** The input cannot be used from this line on: fix the line and send the rest again. */
final class BadInputException extends RefusedException {

  private static final long serialVersionUID = 1L;

  /** States the position and the reason. */
  BadInputException(String source, long line, String reason) {
    super("%s:%d: %s".formatted(source, line, reason));
  }

  /** For an input that cannot be read at all. */
  BadInputException(String source, String reason) {
    super("%s: %s".formatted(source, reason));
  }
}
