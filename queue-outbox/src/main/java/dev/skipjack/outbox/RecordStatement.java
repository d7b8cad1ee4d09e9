package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.impl.SQLDataType;

/**
 * Records events.
 *
 * <pre>{@code
 * INSERT INTO outbox_events (event_id, shard, aggregate_type, ...) VALUES (:event_id, :shard, :aggregate_type, ...) RETURNING position
 * }</pre>
 *
 * <p>The statement for one event needs no settings, so the caller's transaction pays for a plain
 * INSERT. Several events are the rows of an {@code unnest}, inserted in their order. Locks nothing
 * that another transaction can see.
 */
final class RecordStatement {

  private RecordStatement() {}

  /** Creates the statement that records one event. */
  static Statement<NewEvent, Long> ofOne(DSLContext dialect) {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    values.put(OUTBOX_EVENTS.EVENT_ID, cast(param("event_id", UUID.class), SQLDataType.UUID));
    values.put(OUTBOX_EVENTS.SHARD, cast(param("shard", Short.class), SQLDataType.SMALLINT));
    values.put(OUTBOX_EVENTS.AGGREGATE_TYPE, Texts.param("aggregate_type"));
    values.put(OUTBOX_EVENTS.AGGREGATE_ID, Texts.param("aggregate_id"));
    values.put(OUTBOX_EVENTS.EVENT_TYPE, Texts.param("event_type"));
    values.put(OUTBOX_EVENTS.CONTENT_TYPE, Texts.param("content_type"));
    values.put(OUTBOX_EVENTS.HEADERS, headers(Texts.param("headers")));
    values.put(OUTBOX_EVENTS.TRACEPARENT, Texts.param("traceparent"));
    values.put(OUTBOX_EVENTS.PAYLOAD, cast(param("payload", byte[].class), SQLDataType.BLOB));
    return Statement.selfContained(
        dialect,
        insertInto(OUTBOX_EVENTS).set(values).returning(OUTBOX_EVENTS.POSITION),
        RecordStatement::argumentsOfOne,
        row -> row.number(OUTBOX_EVENTS.POSITION));
  }

  /** Creates the statement that records several events. */
  static Statement<List<NewEvent>, Long> ofAll(DSLContext dialect) {
    ArrayRows given =
        ArrayRows.named("given")
            .column("event_id", param("event_ids", UUID[].class))
            .column("shard", param("shards", Short[].class))
            .column("aggregate_type", Texts.array("aggregate_types"))
            .column("aggregate_id", Texts.array("aggregate_ids"))
            .column("event_type", Texts.array("event_types"))
            .column("content_type", Texts.array("content_types"))
            .column("headers", Texts.array("headers"))
            .column("traceparent", Texts.array("traceparents"))
            .column("payload", param("payloads", byte[][].class))
            .withPosition();
    return Statement.of(
        dialect,
        insertInto(
                OUTBOX_EVENTS,
                OUTBOX_EVENTS.EVENT_ID,
                OUTBOX_EVENTS.SHARD,
                OUTBOX_EVENTS.AGGREGATE_TYPE,
                OUTBOX_EVENTS.AGGREGATE_ID,
                OUTBOX_EVENTS.EVENT_TYPE,
                OUTBOX_EVENTS.CONTENT_TYPE,
                OUTBOX_EVENTS.HEADERS,
                OUTBOX_EVENTS.TRACEPARENT,
                OUTBOX_EVENTS.PAYLOAD)
            .select(
                select(
                        given.field("event_id", UUID.class),
                        given.field("shard", Short.class),
                        given.field("aggregate_type", String.class),
                        given.field("aggregate_id", String.class),
                        given.field("event_type", String.class),
                        given.field("content_type", String.class),
                        headers(given.field("headers", String.class)),
                        given.field("traceparent", String.class),
                        given.field("payload", byte[].class))
                    .from(given.table())
                    .orderBy(given.field("position", Long.class)))
            .returning(OUTBOX_EVENTS.POSITION),
        RecordStatement::argumentsOfAll,
        row -> row.number(OUTBOX_EVENTS.POSITION));
  }

  private static Field<JSONB> headers(Field<String> pairs) {
    return field(
        "pg_catalog.jsonb_object(cast({0} as pg_catalog.text[]))", SQLDataType.JSONB, pairs);
  }

  private static Arguments argumentsOfOne(NewEvent recorded) {
    Event event = recorded.event();
    return new Arguments()
        .uuid("event_id", recorded.id())
        .integer("shard", event.aggregate().shard())
        .text("aggregate_type", event.aggregate().type())
        .text("aggregate_id", event.aggregate().id())
        .text("event_type", event.type())
        .text("content_type", event.contentType())
        .text("headers", recorded.headers())
        .text("traceparent", event.traceparent())
        .bytes("payload", recorded.payload());
  }

  private static Arguments argumentsOfAll(List<NewEvent> recorded) {
    return new Arguments()
        .uuids("event_ids", recorded, NewEvent::id)
        .smallints("shards", recorded, each -> each.event().aggregate().shard())
        .texts("aggregate_types", recorded, each -> each.event().aggregate().type())
        .texts("aggregate_ids", recorded, each -> each.event().aggregate().id())
        .texts("event_types", recorded, each -> each.event().type())
        .texts("content_types", recorded, each -> each.event().contentType())
        .texts("headers", recorded, NewEvent::headers)
        .texts("traceparents", recorded, each -> each.event().traceparent())
        .byteStrings("payloads", recorded, NewEvent::payload);
  }
}
