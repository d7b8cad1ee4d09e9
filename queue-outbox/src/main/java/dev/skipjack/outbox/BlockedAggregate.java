package dev.skipjack.outbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate whose events wait, because one of them failed or was postponed.
 *
 * @param blockedAt when it became blocked
 * @param retryAt when a relay tries again; null if the event is dead, so that an operator must
 *     redrive it or unblock the aggregate
 */
public record BlockedAggregate(Aggregate aggregate, Instant blockedAt, @Nullable Instant retryAt) {}
