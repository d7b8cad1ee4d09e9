package dev.skipjack.store.jooq.internal.ordering;

import org.jspecify.annotations.Nullable;

/**
 * The result of a command for a job.
 *
 * @param orderingKey the ordering key of the job if the command moved or deleted it, so that the
 *     key's next job may have to be promoted; null otherwise
 */
public record KeyedResult<R>(R result, @Nullable String orderingKey) {}
