package dev.skipjack.operations.bulk;

/** The result of applying a patch to the payload of a job. */
public enum PatchResult {
  /** The payload was changed. */
  PATCHED,
  /** The payload is not a JSON object. */
  NO_OBJECT,
  /** The changed payload would be too large. */
  TOO_LARGE,
  /** The job is running or, if only dead jobs are changed, is not dead. */
  OTHER_STATUS,
  /** Another transaction had locked the job. */
  BUSY,
  /** No live job has this id. */
  GONE
}
