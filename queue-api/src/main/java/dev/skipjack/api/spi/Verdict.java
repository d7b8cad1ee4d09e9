package dev.skipjack.api.spi;

/** The result of a write that concerns an attempt. */
public enum Verdict {
  /** The write succeeded. */
  DONE,
  /**
   * The execution still owns the job, but its row is locked by another transaction. Retry the write
   * for this row, in a batch with others if there are any.
   */
  BUSY,
  /** The execution no longer owns the job. Nothing was written, and a retry cannot succeed. */
  LOST
}
