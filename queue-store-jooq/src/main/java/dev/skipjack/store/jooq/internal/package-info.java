/**
 * Public only so that the queue's other packages and modules can use it; not API. What a module
 * that adds a way of enqueueing builds on: the insert of a job, written once, and {@link
 * dev.skipjack.store.jooq.internal.QueueExtension the parts of the queue}.
 */
@NullMarked
package dev.skipjack.store.jooq.internal;

import org.jspecify.annotations.NullMarked;
