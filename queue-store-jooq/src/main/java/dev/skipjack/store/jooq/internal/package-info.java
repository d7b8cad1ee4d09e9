/**
 * The base for modules that add another way of enqueueing: the insert of a job, written once, and
 * {@link dev.skipjack.store.jooq.internal.QueueExtension the parts of the queue}. Public only so
 * that the queue's other packages and modules can use it; not API.
 */
@NullMarked
package dev.skipjack.store.jooq.internal;

import org.jspecify.annotations.NullMarked;
