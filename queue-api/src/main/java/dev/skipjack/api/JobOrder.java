package dev.skipjack.api;

/** In which order jobs are listed. Each is the order of an index, so every page costs the same. */
public enum JobOrder {
  /** Live jobs, the lowest id first. */
  ID,
  /** Pending jobs of one queue, the earliest due first, whatever their priority. */
  DUE,
  /** Archived jobs, the latest end first. */
  FINISHED
}
