package dev.skipjack.api;

/** What a prune did to a job. */
public enum PruneResult {
  /** It was deleted. */
  PRUNED,
  /** It is not dead: somebody redrove it first, for instance. */
  NOT_DEAD,
  /** Somebody held it all the while; nothing was changed. */
  BUSY,
  /** There is no such live job. */
  GONE
}
