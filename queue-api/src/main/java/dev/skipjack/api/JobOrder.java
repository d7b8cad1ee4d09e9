package dev.skipjack.api;

/**
 * The order in which jobs are listed. Each order is that of an index, so every page costs the same.
 */
public enum JobOrder {
  /** Live jobs, lowest id first. */
  ID,
  /** Pending jobs of one queue, earliest due time first, whatever their priority. */
  DUE,
  /** Archived jobs, latest end first. */
  FINISHED
}
