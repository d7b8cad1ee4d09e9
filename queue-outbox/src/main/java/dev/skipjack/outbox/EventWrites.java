package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_PUBLISHED;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * The writes that record the result of a batch. They need no fence of their own, because {@link
 * LeaseWrites} has locked the shards in the same transaction.
 *
 * <pre>{@code
 * WITH removed AS (DELETE FROM outbox_events WHERE event_id = ANY (:event_ids) RETURNING ...),
 * kept AS (INSERT INTO outbox_published (...) SELECT ... FROM removed RETURNING event_id)
 * SELECT event_id FROM removed
 *
 * UPDATE outbox_events SET status = given.status, attempts = given.attempts, last_error = coalesce(given.error, last_error), ...
 *   FROM unnest(:event_ids, :statuses, :attempts, :errors) AS given
 *  WHERE outbox_events.event_id = given.event_id
 *    AND (given.status IN ('dead', 'skipped') OR (SELECT shard FROM outbox_blocked WHERE <the event's aggregate>) IS NOT NULL) RETURNING event_id
 *
 * INSERT INTO outbox_blocked (...) SELECT ..., clock_timestamp() + given.delay FROM unnest(...) AS given ORDER BY ...
 *   ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE SET retry_at = excluded.retry_at, shard = excluded.shard RETURNING shard
 *
 * WITH stopped AS (UPDATE outbox_blocked SET retry_at = NULL FROM unnest(...) AS given WHERE <given's aggregate> AND retry_at IS NOT NULL
 *                     AND <position of the aggregate's first dead event> < coalesce(<that of its first blocked event>, <the largest number>))
 * DELETE FROM outbox_blocked USING unnest(...) AS given WHERE <given's aggregate> AND retry_at IS NOT NULL
 *    AND NOT EXISTS (SELECT FROM outbox_events WHERE status = 'blocked' AND <the aggregate>)
 *    AND NOT EXISTS (SELECT FROM outbox_events WHERE status = 'dead' AND <the aggregate>) RETURNING shard
 * }</pre>
 *
 * <p>An operator may unblock an aggregate while the batch is being published. Its events must then
 * stay pending, because a relay reads blocked events only if their aggregate has a row in {@code
 * outbox_blocked}. The update therefore makes an event blocked only if this row exists. For newly
 * blocked aggregates, the row is written before the update.
 */
final class EventWrites {

  private static final Field<UUID> EVENT_ID = field(name("removed", "event_id"), UUID.class);

  private EventWrites() {}

  /**
   * A new status of an event.
   *
   * @param status {@code blocked}, {@code dead}, or {@code skipped} if it is dead and the later
   *     events of its aggregate do not wait for it
   * @param failures the number of failed attempts to publish it. It is a total, so that repeating
   *     the write counts no attempt twice
   * @param error why the latest attempt failed; null to keep the stored reason
   */
  record Change(RecordedEvent event, String status, int failures, @Nullable String error) {}

  /**
   * An aggregate to block.
   *
   * @param delay the time until the next attempt; null if relays make none until an operator acts
   */
  record Block(Aggregate aggregate, @Nullable Duration delay) {}

  /** Creates the statement that moves published events to the history. */
  static Statement<List<RecordedEvent>, UUID> publish(DSLContext dialect) {
    Field<?>[] columns =
        Stream.concat(
                Stream.of(
                    OUTBOX_EVENTS.POSITION, OUTBOX_EVENTS.RECORDED_AT, OUTBOX_EVENTS.ATTEMPTS),
                EventColumn.KEPT.stream().map(EventColumn::stored))
            .toArray(Field<?>[]::new);
    CommonTableExpression<?> removed =
        name("removed").as(deleteFrom(OUTBOX_EVENTS).where(isGiven()).returning(columns));
    CommonTableExpression<?> kept =
        name("kept")
            .as(
                insertInto(OUTBOX_PUBLISHED, OUTBOX_PUBLISHED.fields(columns))
                    .select(select(removed.fields(columns)).from(removed))
                    .returning(OUTBOX_PUBLISHED.EVENT_ID));
    return Statement.of(
        dialect,
        with(removed, kept).select(EVENT_ID).from(removed),
        EventWrites::ids,
        row -> row.uuid(EVENT_ID));
  }

  /** Creates the statement that deletes published events without keeping them as history. */
  static Statement<List<RecordedEvent>, UUID> discard(DSLContext dialect) {
    return Statement.of(
        dialect,
        deleteFrom(OUTBOX_EVENTS).where(isGiven()).returning(OUTBOX_EVENTS.EVENT_ID),
        EventWrites::ids,
        row -> row.uuid(OUTBOX_EVENTS.EVENT_ID));
  }

  private static Condition isGiven() {
    return OUTBOX_EVENTS.EVENT_ID.eq(any(param("event_ids", UUID[].class)));
  }

  private static Arguments ids(List<RecordedEvent> events) {
    return new Arguments().uuids("event_ids", events, RecordedEvent::id);
  }

  /**
   * Creates the statement that makes events dead or skipped, or makes them blocked if their
   * aggregate is still blocked.
   */
  static Statement<List<Change>, UUID> change(DSLContext dialect) {
    ArrayRows given =
        ArrayRows.named("given")
            .column("event_id", param("event_ids", UUID[].class))
            .column("status", Texts.array("statuses"))
            .column("attempts", param("attempts", Integer[].class))
            .column("error", Texts.array("errors"));
    Field<String> status = given.field("status", String.class);
    Condition isDead =
        status.in(
            OutboxPredicates.literal(OutboxPredicates.DEAD_LITERAL),
            OutboxPredicates.literal(OutboxPredicates.SKIPPED_LITERAL));
    Condition isBlocked =
        field(
                select(OUTBOX_BLOCKED.SHARD)
                    .from(OUTBOX_BLOCKED)
                    .where(OUTBOX_BLOCKED.AGGREGATE_TYPE.eq(OUTBOX_EVENTS.AGGREGATE_TYPE))
                    .and(OUTBOX_BLOCKED.AGGREGATE_ID.eq(OUTBOX_EVENTS.AGGREGATE_ID)))
            .isNotNull();
    return Statement.of(
        dialect,
        update(OUTBOX_EVENTS)
            .set(OUTBOX_EVENTS.STATUS, status)
            .set(OUTBOX_EVENTS.ATTEMPTS, given.field("attempts", Integer.class))
            .set(
                OUTBOX_EVENTS.LAST_ERROR,
                coalesce(given.field("error", String.class), OUTBOX_EVENTS.LAST_ERROR))
            .set(
                OUTBOX_EVENTS.DIED_AT,
                when(isDead, DatabaseClock.NOW).otherwise(castNull(OUTBOX_EVENTS.DIED_AT)))
            .from(given.table())
            .where(OUTBOX_EVENTS.EVENT_ID.eq(given.field("event_id", UUID.class)))
            .and(isDead.or(isBlocked))
            .returning(OUTBOX_EVENTS.EVENT_ID),
        changes ->
            new Arguments()
                .uuids("event_ids", changes, change -> change.event().id())
                .texts("statuses", changes, Change::status)
                .integers("attempts", changes, Change::failures)
                .texts("errors", changes, Change::error),
        row -> row.uuid(OUTBOX_EVENTS.EVENT_ID));
  }

  /** Creates the statement that blocks aggregates until a time, or until an operator acts. */
  static Statement<List<Block>, Integer> block(DSLContext dialect) {
    ArrayRows given =
        givenAggregates()
            .column("shard", param("shards", Short[].class))
            .column("delay", param("delays", Long[].class));
    Field<Long> delay = given.field("delay", Long.class);
    return Statement.of(
        dialect,
        insertInto(
                OUTBOX_BLOCKED,
                OUTBOX_BLOCKED.AGGREGATE_TYPE,
                OUTBOX_BLOCKED.AGGREGATE_ID,
                OUTBOX_BLOCKED.SHARD,
                OUTBOX_BLOCKED.RETRY_AT)
            .select(
                select(
                        given.field("aggregate_type", String.class),
                        given.field("aggregate_id", String.class),
                        given.field("shard", Short.class),
                        DatabaseClock.plusMicros(DatabaseClock.NOW, delay))
                    .from(given.table())
                    .orderBy(
                        given.field("aggregate_type", String.class),
                        given.field("aggregate_id", String.class)))
            .onConflict(OUTBOX_BLOCKED.AGGREGATE_TYPE, OUTBOX_BLOCKED.AGGREGATE_ID)
            .doUpdate()
            .set(OUTBOX_BLOCKED.RETRY_AT, excluded(OUTBOX_BLOCKED.RETRY_AT))
            .set(OUTBOX_BLOCKED.SHARD, excluded(OUTBOX_BLOCKED.SHARD))
            .returning(OUTBOX_BLOCKED.SHARD),
        blocks ->
            aggregates(blocks.stream().map(Block::aggregate).toList())
                .smallints("shards", blocks, block -> block.aggregate().shard())
                .bigints("delays", blocks, EventWrites::micros),
        row -> row.integer(OUTBOX_BLOCKED.SHARD));
  }

  private static @Nullable Long micros(Block block) {
    Duration delay = block.delay();
    return delay == null ? null : DatabaseClock.micros(delay);
  }

  /**
   * Creates the statement that frees the given aggregates if they have no blocked event and no dead
   * event for which later events wait. It ends the retries of an aggregate if such a dead event
   * comes before all of its blocked events.
   */
  static Statement<List<Aggregate>, Integer> unblock(DSLContext dialect) {
    ArrayRows given = givenAggregates();
    Condition isGiven =
        OUTBOX_BLOCKED
            .AGGREGATE_TYPE
            .eq(given.field("aggregate_type", String.class))
            .and(OUTBOX_BLOCKED.AGGREGATE_ID.eq(given.field("aggregate_id", String.class)))
            .and(OutboxPredicates.RETRIED);
    CommonTableExpression<?> stopped =
        name("stopped")
            .as(
                update(OUTBOX_BLOCKED)
                    .set(OUTBOX_BLOCKED.RETRY_AT, castNull(OUTBOX_BLOCKED.RETRY_AT))
                    .from(given.table())
                    .where(isGiven)
                    .and(
                        first(OutboxPredicates.BLOCKING)
                            .lt(coalesce(first(OutboxPredicates.BLOCKED), inline(Long.MAX_VALUE))))
                    .returning(OUTBOX_BLOCKED.SHARD));
    return Statement.of(
        dialect,
        with(stopped)
            .delete(OUTBOX_BLOCKED)
            .using(given.table())
            .where(isGiven)
            .and(hasNone(OutboxPredicates.BLOCKED))
            .and(hasNone(OutboxPredicates.BLOCKING))
            .returning(OUTBOX_BLOCKED.SHARD),
        EventWrites::aggregates,
        row -> row.integer(OUTBOX_BLOCKED.SHARD));
  }

  /**
   * Returns the position of a blocked aggregate's first event that meets the condition; null if
   * there is none.
   */
  private static Field<Long> first(Condition which) {
    return field(
        select(OUTBOX_EVENTS.POSITION)
            .from(OUTBOX_EVENTS)
            .where(which)
            .and(isOfBlocked())
            .orderBy(OUTBOX_EVENTS.POSITION)
            .limit(inline(1)));
  }

  private static Condition hasNone(Condition which) {
    return notExists(selectOne().from(OUTBOX_EVENTS).where(which).and(isOfBlocked()));
  }

  private static Condition isOfBlocked() {
    return OUTBOX_EVENTS
        .AGGREGATE_TYPE
        .eq(OUTBOX_BLOCKED.AGGREGATE_TYPE)
        .and(OUTBOX_EVENTS.AGGREGATE_ID.eq(OUTBOX_BLOCKED.AGGREGATE_ID));
  }

  private static ArrayRows givenAggregates() {
    return ArrayRows.named("given")
        .column("aggregate_type", Texts.array("aggregate_types"))
        .column("aggregate_id", Texts.array("aggregate_ids"));
  }

  private static Arguments aggregates(List<Aggregate> aggregates) {
    return new Arguments()
        .texts("aggregate_types", aggregates, Aggregate::type)
        .texts("aggregate_ids", aggregates, Aggregate::id);
  }
}
