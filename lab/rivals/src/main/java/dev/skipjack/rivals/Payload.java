package dev.skipjack.rivals;

import java.io.Serializable;

/**
 * The payload of a job, which has the same size for every contender.
 *
 * @param n the job's number
 */
record Payload(long n, String text) implements Serializable {

  private static final long serialVersionUID = 1;

  private static final String TEXT = "x".repeat(80);

  static Payload number(long n) {
    return new Payload(n, TEXT);
  }
}
