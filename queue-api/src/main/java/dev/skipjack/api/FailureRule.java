package dev.skipjack.api;

/** What happens to a job after a certain kind of failure. */
public sealed interface FailureRule {

  /** The job is retried after a wait, as long as attempts are left. */
  record Retry(Backoff backoff) implements FailureRule {}

  /** There is no further attempt: the job is dead at once. */
  record Dead() implements FailureRule {}
}
