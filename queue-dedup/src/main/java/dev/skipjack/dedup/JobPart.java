package dev.skipjack.dedup;

/** A part of the pending job that a duplicate with the same key may change. */
public enum JobPart {
  /** The payload and its version. */
  PAYLOAD,
  /**
   * The priority, which becomes the one that the duplicate would have in the queue of the pending
   * job.
   */
  PRIORITY,
  /** The due time. */
  SCHEDULE
}
