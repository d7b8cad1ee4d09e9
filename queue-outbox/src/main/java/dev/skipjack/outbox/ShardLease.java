package dev.skipjack.outbox;

/**
 * The right to publish the events of a shard's aggregates.
 *
 * @param id the fence: writes of a relay are accepted only while this is the shard's latest lease
 * @param hasRetries whether a blocked aggregate of the shard is due
 * @param isTakenOver whether the previous holder's lease expired, so that it may have published
 *     events without recording that
 */
record ShardLease(int shard, long id, boolean hasRetries, boolean isTakenOver) {}
