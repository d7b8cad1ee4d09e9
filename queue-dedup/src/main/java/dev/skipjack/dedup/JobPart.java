package dev.skipjack.dedup;

/** A part of a job that a duplicate with the same key may change. */
public enum JobPart {
  /** The payload and its version. */
  PAYLOAD,
  /**
   * The priority. It is set to the priority that the duplicate would have in the queue of the
   * existing job.
   */
  PRIORITY,
  /** The due time. */
  SCHEDULE
}
