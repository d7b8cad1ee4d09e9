package dev.skipjack.store.jooq.internal.ordering;

import org.jspecify.annotations.Nullable;

/**
 * The result of a command for a job.
 *
 * @param orderingKey the ordering key of a job that the command has moved or deleted, so the key
 *     may have lost its head or gained its first job; null if the command changed no such job
 */
public record KeyedResult<R>(R result, @Nullable String orderingKey) {}
