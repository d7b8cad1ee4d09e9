package dev.skipjack.api.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The record of a single change that an operator made with {@link QueueAdmin#as}.
 *
 * @param id the identity of the record
 * @param changedAt when the change was made, by the database clock
 * @param actor the operator who made it
 * @param reason the reason; null if the operator gave none
 * @param action the change, for example {@code cancel} or {@code pause}
 * @param queue the queue that was changed, or the queue of the changed job or schedule; null if
 *     there is none or it is unknown
 * @param target what was changed: the id of a job or an event, or the name of a queue, an ordering
 *     key or a schedule
 */
public record JobChange(
    long id,
    Instant changedAt,
    String actor,
    @Nullable String reason,
    String action,
    @Nullable String queue,
    String target) {}
