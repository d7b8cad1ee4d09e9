/**
 * Jobs with an ordering key, which run one after another.
 *
 * <p>A job with a key is inserted as waiting. {@code ordering_head} marks the head, the one job
 * that holds the key. The head is pending, running or dead, and no other job of the key is pending
 * or running. A statement that deletes the head because its handler has completed or cancelled it
 * promotes the next job in the same transaction ({@link
 * dev.skipjack.store.jooq.internal.ordering.Promotion}). All other promotions are separate
 * statements, which run for instance after the commit of an enqueue or of a command that removed
 * the head. {@link dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs} also finds keys
 * without a head, for instance those of jobs that a caller's transaction has inserted
 * (docs/adr/0038).
 *
 * <p>Public only so that the store can use it; not part of the API.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.ordering;

import org.jspecify.annotations.NullMarked;
