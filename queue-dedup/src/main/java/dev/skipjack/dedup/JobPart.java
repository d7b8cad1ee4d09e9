package dev.skipjack.dedup;

/** A part of the pending job that a duplicate with the same key may change. */
public enum JobPart {
  /** The payload and its version. */
  PAYLOAD,
  /**
   * The priority. It is set to the priority that the duplicate would have in the pending job's
   * queue.
   */
  PRIORITY,
  /** The due time. */
  SCHEDULE
}
