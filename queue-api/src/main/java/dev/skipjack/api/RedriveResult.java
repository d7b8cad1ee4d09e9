package dev.skipjack.api;

/** What a redrive did to a job. */
public sealed interface RedriveResult {

  /** It is pending, with fresh attempts. */
  record Redriven() implements RedriveResult {}

  /**
   * Its unique key was taken meanwhile; it stays dead.
   *
   * @param holder the job that holds the key
   */
  record Conflict(JobId holder) implements RedriveResult {}

  /** It is not dead; nothing was changed. */
  record NotDead() implements RedriveResult {}

  /** Somebody held it all the while; nothing was changed. */
  record Busy() implements RedriveResult {}

  /** There is no such live job. */
  record Gone() implements RedriveResult {}
}
