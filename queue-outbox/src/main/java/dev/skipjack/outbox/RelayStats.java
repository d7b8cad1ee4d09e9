package dev.skipjack.outbox;

/**
 * The counters of a relay since it was built.
 *
 * @param published events that were published, and recorded as such
 * @param retried failed attempts after which an event is tried again
 * @param died events that became dead
 * @param unrecorded events that were published but could not be recorded as such, because the lease
 *     was lost or the database was unavailable. They are published again
 * @param outOfOrder events that the publisher sent although an earlier event of their aggregate was
 *     not sent in the same batch; a defect of the publisher
 * @param takenOver shards whose previous lease expired. Its holder may have published up to a batch
 *     of events without recording that; they are published again
 * @param outages batches of which no event could be published
 * @param overruns batches whose publisher did not return in time; see {@link EventBatch#timeLeft}
 * @param deadThreads threads that have ended although the relay was not closed; see {@link
 *     Relay#health}
 */
public record RelayStats(
    long published,
    long retried,
    long died,
    long unrecorded,
    long outOfOrder,
    long takenOver,
    long outages,
    long overruns,
    int deadThreads) {}
