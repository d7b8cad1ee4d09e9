package dev.skipjack.api;

/** The result of pruning a job. */
public enum PruneResult {
  /** The job was deleted. */
  PRUNED,
  /** The job is not dead, for example because it was redriven before. */
  NOT_DEAD,
  /** Another transaction kept the job locked; nothing was changed. */
  BUSY,
  /** There is no live job with this id. */
  GONE
}
