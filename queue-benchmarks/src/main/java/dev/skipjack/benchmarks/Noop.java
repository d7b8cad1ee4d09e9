package dev.skipjack.benchmarks;

import dev.skipjack.api.JobType;

/**
 * The job that does nothing, with some 100 bytes of JSON.
 *
 * @param n which one
 */
record Noop(long n, String text) {

  static final JobType<Noop> TYPE = JobType.of("noop", Noop.class);

  private static final String TEXT = "x".repeat(80);

  static Noop number(long n) {
    return new Noop(n, TEXT);
  }

  /** As the codec writes it. */
  static String json(long n) {
    return "{\"n\":" + n + ",\"text\":\"" + TEXT + "\"}";
  }
}
