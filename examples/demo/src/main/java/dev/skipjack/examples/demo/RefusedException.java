package dev.skipjack.examples.demo;

/** The run cannot begin; the message is a sentence for the user that says why. */
public class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  RefusedException(String sentence) {
    super(sentence);
  }
}
