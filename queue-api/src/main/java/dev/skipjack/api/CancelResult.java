package dev.skipjack.api;

/** The result of cancelling a job. */
public enum CancelResult {
  /** The job was waiting, and is archived as cancelled. */
  CANCELLED,
  /** The job is running; its worker was asked to stop it. */
  REQUESTED,
  /** The job is dead and was not changed; redrive or prune it. */
  DEAD,
  /** Another transaction kept the job locked; nothing was changed. */
  BUSY,
  /** There is no live job with this id: it has ended or never existed. */
  GONE
}
