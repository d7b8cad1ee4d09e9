package dev.skipjack.faults;

/** The time at which a connection is cut: before or after its COMMIT takes effect. */
enum CommitCut {
  BEFORE,
  AFTER
}
