package dev.skipjack.api.spi;

/** The result of a write about an attempt. */
public enum Verdict {
  /** The write was done. */
  DONE,
  /**
   * The execution still owns the job, but another transaction has locked its row: try again, with
   * this row alone.
   */
  BUSY,
  /** The execution no longer owns the job; nothing was written, and no retry can succeed. */
  LOST
}
