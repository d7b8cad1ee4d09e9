package dev.skipjack.store.jooq.internal.history;

/**
 * A table that is, or was, a partition of one of the queue's tables.
 *
 * @param state the progress of its removal
 * @param marked whether its removal has begun, so that it may be dropped once it is detached
 */
record FoundPartition(Partition partition, State state, boolean marked) {

  enum State {
    /** It is part of its parent. */
    ATTACHED,
    /** Its concurrent detaching was interrupted; queries no longer see it. */
    PENDING,
    /** It is a table of its own. */
    DETACHED
  }
}
