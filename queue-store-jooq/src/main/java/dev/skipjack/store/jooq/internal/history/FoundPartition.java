package dev.skipjack.store.jooq.internal.history;

/**
 * A table that is, or was, a partition of ours.
 *
 * @param state how far its removal is
 * @param marked whether we began to remove it: such a table may be dropped once it is detached
 */
record FoundPartition(Partition partition, State state, boolean marked) {

  enum State {
    /** Part of its parent. */
    ATTACHED,
    /** Its concurrent detaching was interrupted; queries no longer see it. */
    PENDING,
    /** A table on its own. */
    DETACHED
  }
}
