package dev.skipjack.api.operations;

/** The result of editing a job. */
public enum EditResult {
  /** The job was changed. */
  EDITED,
  /**
   * The job was not changed: it is running, or it is dead and the edit contains a due time, which a
   * redrive would replace.
   */
  NOT_PENDING,
  /** The job was locked by another transaction and was not changed. */
  BUSY,
  /** No live job has this id. */
  GONE
}
