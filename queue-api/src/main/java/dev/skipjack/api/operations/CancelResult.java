package dev.skipjack.api.operations;

/** The result of cancelling a job. */
public enum CancelResult {
  /** The job was not running; it has been archived as cancelled. */
  CANCELLED,
  /** The job is running; its worker has been asked to stop it. */
  REQUESTED,
  /** The job is dead and was not changed. It can be redriven or pruned instead. */
  DEAD,
  /** The job was locked by another transaction and was not changed. */
  BUSY,
  /** No live job has this id: the job has ended or never existed. */
  GONE
}
