package dev.skipjack.store.jooq.internal.history;

/**
 * A table that is, or was, a partition of one of the queue's tables.
 *
 * @param state the progress of its removal
 * @param marked whether its removal has begun, so that it may be dropped once it is detached
 */
record FoundPartition(Partition partition, State state, boolean marked) {

  enum State {
    /** The table is attached to its parent. */
    ATTACHED,
    /** A concurrent detach was interrupted. Queries of the parent no longer read the table. */
    PENDING,
    /** The table is no longer a partition. */
    DETACHED
  }
}
