package dev.skipjack.demo;

/**
 * Thrown if the run cannot begin, or the queue refuses a delivery. The message is a sentence for
 * the user that states the reason.
 */
public class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  RefusedException(String sentence) {
    super(sentence);
  }
}
