/**
 * The outbox: events that leave the database exactly as the transaction says.
 *
 * <p>An application records events with {@link dev.skipjack.outbox.Outbox} in its own transaction.
 * A {@link dev.skipjack.outbox.Relay}, in any number of processes, passes committed events to a
 * {@link dev.skipjack.outbox.Publisher}. The events of an aggregate are published in order, and an
 * event that cannot be published blocks only its own aggregate. A relay publishes first and records
 * that afterwards, so an event may be published more than once; consumers recognize duplicates by
 * its id, for which {@link dev.skipjack.outbox.Inbox} serves those with a database.
 *
 * <p>A relay leases shards of aggregates. It holds no transaction while it publishes, and reads
 * events by their status, never after a position or time, so an event that is committed late is not
 * missed. docs/adr/0039 explains the storage.
 */
@NullMarked
package dev.skipjack.outbox;

import org.jspecify.annotations.NullMarked;
