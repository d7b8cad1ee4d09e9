package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;

/** The result of redriving a job. */
public sealed interface RedriveResult {

  /** The job is pending again, with fresh attempts. */
  record Redriven() implements RedriveResult {}

  /**
   * Another job has taken the unique key, so the job remains dead.
   *
   * @param holder the job that now holds the key
   */
  record Conflict(JobId holder) implements RedriveResult {}

  /** The job is not dead; it was not changed. */
  record NotDead() implements RedriveResult {}

  /** The job was locked by another transaction and was not changed. */
  record Busy() implements RedriveResult {}

  /** No live job has this id. */
  record Gone() implements RedriveResult {}
}
