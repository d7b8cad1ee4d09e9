package dev.skipjack.dedup;

/** What a duplicate may change about the pending job that holds its key. */
public enum JobPart {
  /** The payload, with its version. */
  PAYLOAD,
  /** The priority: the one that the duplicate would have had in the queue of the pending job. */
  PRIORITY,
  /** When it is due. */
  SCHEDULE
}
