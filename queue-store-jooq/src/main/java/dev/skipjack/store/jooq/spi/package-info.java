/**
 * What a module that adds a way of enqueueing builds on: the insert of a job, written once, and a
 * way to run a statement of its own as the store runs its own. Application code has no business
 * here.
 */
@NullMarked
package dev.skipjack.store.jooq.spi;

import org.jspecify.annotations.NullMarked;
