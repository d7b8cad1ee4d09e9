package dev.skipjack.api;

/** What an edit did to a job. */
public enum EditResult {
  /** It was changed. */
  EDITED,
  /** It runs, waits for its ordering key, or is dead; nothing was changed. */
  NOT_PENDING,
  /** Somebody held it all the while; nothing was changed. */
  BUSY,
  /** There is no such live job. */
  GONE
}
