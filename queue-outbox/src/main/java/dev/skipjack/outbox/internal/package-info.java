/**
 * Adds the outbox to the doctor and to maintenance of the queue. {@link
 * dev.skipjack.outbox.internal.OutboxTables} is public only so that {@link java.util.ServiceLoader}
 * can create it; not part of the API.
 */
@NullMarked
package dev.skipjack.outbox.internal;

import org.jspecify.annotations.NullMarked;
