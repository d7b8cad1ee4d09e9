package dev.skipjack.importing;

import org.jspecify.annotations.Nullable;

/**
 * The job that a row becomes.
 *
 * @param row the row of the source
 * @param kind the kind of the job
 * @param queue its queue
 * @param payload its payload as JSON
 * @param priority its priority; null for that of the queue
 * @param maxAttempts the number of attempts that are left; null for that of the queue
 * @param uniqueKey its unique key; null if it has an idempotency key
 */
record NewRow(
    SourceRow row,
    String kind,
    String queue,
    String payload,
    @Nullable Integer priority,
    @Nullable Integer maxAttempts,
    @Nullable String uniqueKey) {}
