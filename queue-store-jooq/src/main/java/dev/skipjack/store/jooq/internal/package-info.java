/**
 * Provides the base for modules that add another way of enqueueing: the definition of the insert of
 * a job, and {@link dev.skipjack.store.jooq.internal.QueueExtension the parts of the queue}. Public
 * only so that the queue's other packages and modules can use it; not part of the API.
 */
@NullMarked
package dev.skipjack.store.jooq.internal;

import org.jspecify.annotations.NullMarked;
