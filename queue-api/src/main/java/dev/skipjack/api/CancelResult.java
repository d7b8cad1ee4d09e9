package dev.skipjack.api;

/** What a cancel did to a job. */
public enum CancelResult {
  /** It waited, and is archived as cancelled. */
  CANCELLED,
  /** It runs; its worker was asked to stop it. */
  REQUESTED,
  /** It is dead already: redrive it or prune it. */
  DEAD,
  /** Somebody held it all the while; nothing was changed. */
  BUSY,
  /** There is no such live job: it ended, or never was. */
  GONE
}
