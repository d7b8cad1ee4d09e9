package dev.skipjack.api.operations;

/** The result of pruning a job. */
public enum PruneResult {
  /** The job was deleted. */
  PRUNED,
  /** The job is not dead, for example because it has been redriven; it was not changed. */
  NOT_DEAD,
  /** The job was locked by another transaction and was not changed. */
  BUSY,
  /** No live job has this id. */
  GONE
}
