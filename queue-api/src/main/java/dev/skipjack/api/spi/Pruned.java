package dev.skipjack.api.spi;

/**
 * What {@link Maintenance#prune} did.
 *
 * @param keys idempotency keys and keys of periods that were deleted because they were over
 * @param jobs dead jobs that were deleted
 * @param unfinished whether the call ended before it had met everything: call again
 */
public record Pruned(long keys, long jobs, boolean unfinished) {}
