package dev.skipjack.api.spi;

/** What became of a write about an attempt. */
public enum Verdict {
  /** It was written. */
  DONE,
  /** The execution still owns the job, but somebody holds the row: ask again, alone. */
  BUSY,
  /** The execution no longer owns the job; nothing was written and nothing will be. */
  LOST
}
