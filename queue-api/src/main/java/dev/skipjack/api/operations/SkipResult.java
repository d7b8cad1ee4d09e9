package dev.skipjack.api.operations;

/** The result of skipping the head of an ordering key. */
public enum SkipResult {
  /**
   * The job was skipped. The next job of the key is promoted; if no other job waits, that is the
   * same job.
   */
  SKIPPED,
  /** The job is running, and still holds the key. It can be cancelled instead. */
  RUNNING,
  /** The job was locked by another transaction, and still holds the key. */
  BUSY,
  /** Another job than the given one holds the key. */
  OTHER_HEAD,
  /** No job holds the key. */
  NO_HEAD
}
