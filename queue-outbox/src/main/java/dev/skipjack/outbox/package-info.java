/**
 * Publishes the events of committed transactions, and only those.
 *
 * <p>An application records events with {@link dev.skipjack.outbox.Outbox} in its own transaction.
 * A {@link dev.skipjack.outbox.Relay}, in any number of processes, passes committed events to a
 * {@link dev.skipjack.outbox.Publisher}. The events of an aggregate are published in order, and an
 * event that cannot be published blocks only its own aggregate. A relay publishes first and records
 * that afterwards, so an event may be published more than once; consumers recognize duplicates by
 * its id. Consumers with a database can use {@link dev.skipjack.outbox.Inbox}.
 *
 * <p>A relay leases shards of aggregates. It holds no transaction while it publishes. It reads
 * events by their status, so it does not miss an event that is committed late. docs/adr/0039
 * explains the storage.
 */
@NullMarked
package dev.skipjack.outbox;

import org.jspecify.annotations.NullMarked;
