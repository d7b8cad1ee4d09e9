package dev.skipjack.api;

/** The result of redriving a job. */
public sealed interface RedriveResult {

  /** The job is pending, with fresh attempts. */
  record Redriven() implements RedriveResult {}

  /**
   * Another job has taken the unique key; the job stays dead.
   *
   * @param holder the job that holds the key
   */
  record Conflict(JobId holder) implements RedriveResult {}

  /** The job is not dead; nothing was changed. */
  record NotDead() implements RedriveResult {}

  /** Another transaction kept the job locked; nothing was changed. */
  record Busy() implements RedriveResult {}

  /** There is no live job with this id. */
  record Gone() implements RedriveResult {}
}
