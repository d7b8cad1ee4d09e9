package dev.skipjack.outbox;

/**
 * The counters of a relay since it was built.
 *
 * @param published events that were published, and recorded as such
 * @param retried failed attempts after which an event is tried again
 * @param died events that became dead
 * @param unrecorded events that were published but could not be recorded as such, because the lease
 *     was lost, the database was unavailable or the publisher returned too late. They are published
 *     again
 * @param outOfOrder events that the publisher sent although an earlier event of their aggregate was
 *     not sent in the same batch; a defect of the publisher
 * @param takenOver leases of shards whose previous lease had expired. Events that the previous
 *     holder published but did not record are published again
 * @param outages batches for which the publisher failed and no result is known
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
