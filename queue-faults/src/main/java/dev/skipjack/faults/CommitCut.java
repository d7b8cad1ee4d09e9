package dev.skipjack.faults;

/** Where a connection is cut around a COMMIT. */
enum CommitCut {
  BEFORE,
  AFTER
}
