/**
 * What statements of the store and of queue-steps share about jobs with durable steps. Public only
 * for these two.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.steps;

import org.jspecify.annotations.NullMarked;
