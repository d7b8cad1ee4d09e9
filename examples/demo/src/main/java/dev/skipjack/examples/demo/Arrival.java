package dev.skipjack.examples.demo;

/**
 * A delivery and its position in the input, so that a refusal can name it.
 *
 * @param source the file, or a description of another input
 * @param line number in it, from 1
 */
record Arrival(Delivery delivery, String source, long line) {

  /** Returns the refusal of this delivery. */
  BadInputException refused(String reason) {
    return new BadInputException(source, line, reason);
  }
}
