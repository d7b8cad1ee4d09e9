package dev.skipjack.api;

/** What becomes of a job whose attempt failed in a certain way. */
public sealed interface FailureRule {

  /** Another attempt after a wait, as long as there are attempts left. */
  record Retry(Backoff backoff) implements FailureRule {}

  /** None: the job becomes a dead letter at once. */
  record Dead() implements FailureRule {}
}
