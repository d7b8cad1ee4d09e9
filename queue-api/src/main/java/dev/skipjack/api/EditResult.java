package dev.skipjack.api;

/** The result of editing a job. */
public enum EditResult {
  /** The job was changed. */
  EDITED,
  /** The job is running, waits for its ordering key, or is dead; nothing was changed. */
  NOT_PENDING,
  /** Another transaction kept the job locked; nothing was changed. */
  BUSY,
  /** There is no live job with this id. */
  GONE
}
