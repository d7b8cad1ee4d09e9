package dev.skipjack.examples.demo;

/**
 * A delivery and where it came from, so that whoever refuses it can name the place.
 *
 * @param source file, or what stands for one
 * @param line number in it, from 1
 */
record Arrival(Delivery delivery, String source, long line) {

  /** The refusal of this delivery. */
  BadInputException refused(String reason) {
    return new BadInputException(source, line, reason);
  }
}
