package dev.skipjack.demo;

/**
 * A delivery and its position in the input, for error messages.
 *
 * @param source the name of the file, or a description of another kind of input
 * @param line the line number, from 1
 */
record Arrival(Delivery delivery, String source, long line) {

  /** Returns an exception that reports that this delivery was refused. */
  BadInputException refused(String reason) {
    return new BadInputException(source, line, reason);
  }
}
