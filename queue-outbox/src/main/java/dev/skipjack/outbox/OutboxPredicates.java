package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static org.jooq.impl.DSL.inline;

import org.jooq.Condition;
import org.jooq.Field;

/**
 * The conditions with which the planner uses the partial indexes. Their literals are inlined,
 * because a bound status matches no partial index (docs/adr/0003).
 */
final class OutboxPredicates {

  static final String BLOCKED_LITERAL = "blocked";
  static final String DEAD_LITERAL = "dead";

  /** The status of a dead event for which later events of its aggregate do not wait. */
  static final String SKIPPED_LITERAL = "skipped";

  /** The predicate of {@code outbox_events_pending_idx}. */
  static final Condition PENDING = OUTBOX_EVENTS.STATUS.eq(literal("pending"));

  /** Implies the predicate of {@code outbox_events_blocked_idx}, as {@link #BLOCKING} does. */
  static final Condition BLOCKED = OUTBOX_EVENTS.STATUS.eq(literal(BLOCKED_LITERAL));

  /** A dead event for which later events of its aggregate wait. */
  static final Condition BLOCKING = OUTBOX_EVENTS.STATUS.eq(literal(DEAD_LITERAL));

  /** The predicate of {@code outbox_events_dead_idx}. */
  static final Condition DEAD =
      OUTBOX_EVENTS.STATUS.in(literal(DEAD_LITERAL), literal(SKIPPED_LITERAL));

  /** The predicate of {@code outbox_blocked_retry_idx}. */
  static final Condition RETRIED = OUTBOX_BLOCKED.RETRY_AT.isNotNull();

  private OutboxPredicates() {}

  static Field<String> literal(String status) {
    return inline(status, OUTBOX_EVENTS.STATUS);
  }
}
