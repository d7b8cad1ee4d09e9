package dev.skipjack.api;

/** The result of editing a job. */
public enum EditResult {
  /** The job was changed. */
  EDITED,
  /** The job is running or dead; it was not changed. */
  NOT_PENDING,
  /** The job was locked by another transaction and was not changed. */
  BUSY,
  /** No live job has this id. */
  GONE
}
