package dev.skipjack.examples.demo;

/** The run cannot begin; the message gives the reason in a sentence for the user. */
public class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  RefusedException(String sentence) {
    super(sentence);
  }
}
