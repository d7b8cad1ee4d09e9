package dev.skipjack.outbox;

import java.time.Instant;

/**
 * The activity of a relay, according to the leases. A relay leases shards only while it publishes.
 *
 * @param name the name of the relay
 * @param lastLeasedAt when it last leased a shard
 * @param leasedShards the number of shards whose lease it holds now, 0 to 32
 */
public record RelayActivity(String name, Instant lastLeasedAt, int leasedShards) {}
