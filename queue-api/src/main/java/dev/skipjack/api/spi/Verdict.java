package dev.skipjack.api.spi;

/** The result of a write that concerns an attempt. */
public enum Verdict {
  /** The write succeeded. */
  DONE,
  /**
   * The execution still owns the job, but another transaction has locked the job's row. Retry the
   * write.
   */
  BUSY,
  /** The execution no longer owns the job. Nothing was written, and a retry cannot succeed. */
  LOST
}
