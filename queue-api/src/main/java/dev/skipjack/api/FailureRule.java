package dev.skipjack.api;

/** Determines what happens to a job after a particular type of failure. */
public sealed interface FailureRule {

  /** Retries the job after a backoff, as long as it has attempts left. */
  record Retry(Backoff backoff) implements FailureRule {}

  /** Makes the job dead immediately, without another attempt. */
  record Dead() implements FailureRule {}
}
