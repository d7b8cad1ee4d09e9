package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_PUBLISHED;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.left;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * The queries that find an event by its id, whether it has been published or not.
 *
 * <pre>{@code
 * SELECT ... FROM outbox_events WHERE event_id = :event_id UNION ALL SELECT ... FROM outbox_published WHERE event_id = :event_id
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class EventReads {

  /** The stored error, truncated because other programs may write longer ones. */
  static final Field<String> LAST_ERROR =
      left(OUTBOX_EVENTS.LAST_ERROR, inline(ErrorTexts.LONGEST_REASON));

  private static final Field<UUID> GIVEN = cast(param("event_id", UUID.class), SQLDataType.UUID);
  private static final Field<String> STATUS = cast(OUTBOX_EVENTS.STATUS, SQLDataType.CLOB);
  private static final Field<Instant> NOT_PUBLISHED = castNull(OUTBOX_PUBLISHED.PUBLISHED_AT);

  private EventReads() {}

  /** Creates the query for an event without its headers and payload. */
  static Statement<UUID, EventDetails> details(DSLContext dialect) {
    List<Field<?>> events = details(OUTBOX_EVENTS);
    events.addAll(List.of(STATUS, LAST_ERROR, OUTBOX_EVENTS.DIED_AT, NOT_PUBLISHED));
    List<Field<?>> published = details(OUTBOX_PUBLISHED);
    published.add(inline("published"));
    published.add(castNull(OUTBOX_EVENTS.LAST_ERROR));
    published.add(castNull(OUTBOX_EVENTS.DIED_AT));
    published.add(OUTBOX_PUBLISHED.PUBLISHED_AT);
    return find(dialect, events, published, EventReads::details);
  }

  private static List<Field<?>> details(Table<?> table) {
    List<Field<?>> columns = new ArrayList<>();
    EventColumn.IDENTITY.forEach(column -> columns.add(column.of(table)));
    EventColumn.TEXTS.forEach(column -> columns.add(column.of(table)));
    columns.add(table.field(OUTBOX_EVENTS.RECORDED_AT));
    columns.add(table.field(OUTBOX_EVENTS.ATTEMPTS));
    return columns;
  }

  private static EventDetails details(Row row) throws SQLException {
    return new EventDetails(
        row.uuid(OUTBOX_EVENTS.EVENT_ID),
        EventStatus.valueOf(row.text(STATUS).toUpperCase(Locale.ROOT)),
        EventColumn.aggregate(row),
        row.text(OUTBOX_EVENTS.EVENT_TYPE),
        row.text(OUTBOX_EVENTS.CONTENT_TYPE),
        row.textOrNull(OUTBOX_EVENTS.TRACEPARENT),
        row.instant(OUTBOX_EVENTS.RECORDED_AT),
        row.integer(OUTBOX_EVENTS.ATTEMPTS),
        row.textOrNull(LAST_ERROR),
        row.instantOrNull(OUTBOX_EVENTS.DIED_AT),
        row.instantOrNull(NOT_PUBLISHED));
  }

  /** Creates the query for an event with its headers and payload. */
  static Statement<UUID, RecordedEvent> contents(DSLContext dialect) {
    return find(
        dialect,
        contents(OUTBOX_EVENTS),
        contents(OUTBOX_PUBLISHED),
        row -> EventColumn.read(row, true));
  }

  private static List<Field<?>> contents(Table<?> table) {
    List<Field<?>> columns = details(table);
    columns.add(table.field(OUTBOX_EVENTS.POSITION));
    columns.add(EventColumn.PAYLOAD.of(table));
    columns.add(EventHeaders.texts(EventColumn.HEADERS.of(table)).as(EventColumn.HEADER_TEXTS));
    return columns;
  }

  private static <R> Statement<UUID, R> find(
      DSLContext dialect,
      List<Field<?>> events,
      List<Field<?>> published,
      Statement.RowReader<R> reader) {
    return Statement.of(
        dialect,
        select(events)
            .from(OUTBOX_EVENTS)
            .where(OUTBOX_EVENTS.EVENT_ID.eq(GIVEN))
            .unionAll(
                select(published)
                    .from(OUTBOX_PUBLISHED)
                    .where(OUTBOX_PUBLISHED.EVENT_ID.eq(GIVEN))),
        event -> new Arguments().uuid("event_id", event),
        reader);
  }
}
