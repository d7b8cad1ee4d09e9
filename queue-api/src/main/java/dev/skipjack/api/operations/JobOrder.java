package dev.skipjack.api.operations;

/**
 * The order in which jobs are listed. Each order is supported by an index, so later pages cost no
 * more than the first one.
 */
public enum JobOrder {
  /** Live jobs by id, lowest id first. */
  ID,
  /** Pending jobs of one queue by due time, earliest first, regardless of priority. */
  DUE,
  /** Archived jobs by the time they ended, latest first. */
  FINISHED
}
