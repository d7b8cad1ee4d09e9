package dev.skipjack.benchmarks;

import dev.skipjack.api.JobType;

/**
 * The payload of a job that does nothing: about 100 bytes of JSON.
 *
 * @param n number of the job
 */
public record Noop(long n, String text) {

  public static final JobType<Noop> TYPE = JobType.of("noop", Noop.class);

  private static final String TEXT = "x".repeat(80);

  public static Noop number(long n) {
    return new Noop(n, TEXT);
  }

  /** Returns the JSON that the codec writes. */
  static String json(long n) {
    return "{\"n\":" + n + ",\"text\":\"" + TEXT + "\"}";
  }
}
