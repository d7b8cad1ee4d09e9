package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.param;

import dev.skipjack.model.tables.records.OutboxEventsRecord;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * A column of {@code outbox_events} that is set when an event is recorded. If several events are
 * recorded, the value is an element of an array; if one event is recorded, it is a separate
 * parameter with the name of the column. Except for the shard, {@code outbox_published} has a
 * column of the same name.
 *
 * <p>Statements take their columns from the lists below.
 *
 * @param stored the column
 * @param array the parameter if several events are recorded
 * @param bindAll sets the array
 * @param single the parameter if one event is recorded
 * @param bindOne sets the single parameter
 * @param inserted returns the value to insert for the parameter, or for the element of the array
 * @param reader reads the column from a result; null for the shard, and for the aggregate, the id
 *     and the type, which every read includes
 */
record EventColumn<T>(
    TableField<OutboxEventsRecord, T> stored,
    Param<?> array,
    BiConsumer<Arguments, List<NewEvent>> bindAll,
    Field<?> single,
    BiConsumer<Arguments, NewEvent> bindOne,
    Function<Field<?>, Field<?>> inserted,
    @Nullable Reader reader) {

  /** The result column with alternating names and values of headers. */
  static final Field<String[]> HEADER_TEXTS = field(DSL.name("header_texts"), String[].class);

  static final EventColumn<UUID> EVENT_ID =
      of(
          OUTBOX_EVENTS.EVENT_ID,
          param("event_ids", UUID[].class),
          (arguments, events) -> arguments.uuids("event_ids", events, NewEvent::id),
          (arguments, event) -> arguments.uuid("event_id", event.id()));

  static final EventColumn<Short> SHARD =
      of(
          OUTBOX_EVENTS.SHARD,
          param("shards", Short[].class),
          (arguments, events) -> arguments.smallints("shards", events, NewEvent::shard),
          (arguments, event) -> arguments.integer("shard", event.shard()));

  static final EventColumn<String> AGGREGATE_TYPE =
      text(
          OUTBOX_EVENTS.AGGREGATE_TYPE,
          "aggregate_types",
          recorded -> recorded.event().aggregate().type());

  static final EventColumn<String> AGGREGATE_ID =
      text(
          OUTBOX_EVENTS.AGGREGATE_ID,
          "aggregate_ids",
          recorded -> recorded.event().aggregate().id());

  static final EventColumn<String> EVENT_TYPE =
      text(OUTBOX_EVENTS.EVENT_TYPE, "event_types", recorded -> recorded.event().type());

  static final EventColumn<String> CONTENT_TYPE =
      text(OUTBOX_EVENTS.CONTENT_TYPE, "content_types", recorded -> recorded.event().contentType())
          .readBy((row, read) -> read.contentType = row.text(OUTBOX_EVENTS.CONTENT_TYPE));

  static final EventColumn<JSONB> HEADERS =
      text(
              OUTBOX_EVENTS.HEADERS,
              "headers",
              recorded -> EventHeaders.text(recorded.event().headers()))
          .insertedAs(EventHeaders::object)
          .readBy((row, read) -> read.headers = EventHeaders.of(row.texts(HEADER_TEXTS)));

  static final EventColumn<String> TRACEPARENT =
      text(OUTBOX_EVENTS.TRACEPARENT, "traceparents", recorded -> recorded.event().traceparent())
          .readBy((row, read) -> read.traceparent = row.textOrNull(OUTBOX_EVENTS.TRACEPARENT));

  static final EventColumn<byte[]> PAYLOAD =
      of(
              OUTBOX_EVENTS.PAYLOAD,
              param("payloads", byte[][].class),
              (arguments, events) -> arguments.byteStrings("payloads", events, NewEvent::payload),
              (arguments, event) -> arguments.bytes("payload", event.payload()))
          .readBy((row, read) -> read.payload = row.bytes(OUTBOX_EVENTS.PAYLOAD));

  /**
   * The columns that a publisher needs beside the payload. When a relay reads an event, it limits
   * their total size.
   */
  static final List<EventColumn<?>> ATTRIBUTES = List.of(CONTENT_TYPE, HEADERS, TRACEPARENT);

  /** The attributes that are texts. {@link EventDetails} has them, too. */
  static final List<EventColumn<?>> TEXTS =
      ATTRIBUTES.stream().filter(column -> !column.equals(HEADERS)).toList();

  static final List<EventColumn<?>> IDENTITY =
      List.of(EVENT_ID, AGGREGATE_TYPE, AGGREGATE_ID, EVENT_TYPE);

  static final List<EventColumn<?>> RECORDED =
      Stream.<List<EventColumn<?>>>of(
              List.of(EVENT_ID, SHARD, AGGREGATE_TYPE, AGGREGATE_ID, EVENT_TYPE),
              ATTRIBUTES,
              List.of(PAYLOAD))
          .flatMap(List::stream)
          .toList();

  /** The columns of {@code outbox_published}. */
  static final List<EventColumn<?>> KEPT =
      RECORDED.stream().filter(column -> !column.equals(SHARD)).toList();

  @FunctionalInterface
  interface Reader {
    void read(Row row, RecordedEvent.Draft read) throws SQLException;
  }

  private static <T> EventColumn<T> text(
      TableField<OutboxEventsRecord, T> stored,
      String array,
      Function<NewEvent, @Nullable String> value) {
    String name = stored.getName();
    return new EventColumn<>(
        stored,
        Texts.array(array),
        (arguments, events) -> arguments.texts(array, events, value),
        Texts.param(name),
        (arguments, event) -> arguments.text(name, value.apply(event)),
        given -> given,
        null);
  }

  private static <T> EventColumn<T> of(
      TableField<OutboxEventsRecord, T> stored,
      Param<?> array,
      BiConsumer<Arguments, List<NewEvent>> bindAll,
      BiConsumer<Arguments, NewEvent> bindOne) {
    DataType<T> type = stored.getDataType();
    return new EventColumn<>(
        stored,
        array,
        bindAll,
        cast(param(stored.getName(), type), type),
        bindOne,
        given -> given,
        null);
  }

  private EventColumn<T> insertedAs(Function<Field<?>, Field<?>> conversion) {
    return new EventColumn<>(stored, array, bindAll, single, bindOne, conversion, reader);
  }

  private EventColumn<T> readBy(Reader reading) {
    return new EventColumn<>(stored, array, bindAll, single, bindOne, inserted, reading);
  }

  String name() {
    return stored.getName();
  }

  /** Returns the column with this name in {@code outbox_events} or {@code outbox_published}. */
  Field<T> of(Table<?> table) {
    return table.field(stored);
  }

  /** Returns the column of a subquery. */
  Field<T> in(String alias) {
    return field(DSL.name(alias, name()), stored.getDataType());
  }

  /**
   * Reads the event in the current row of a result.
   *
   * @param hasContents whether to read the payload and the attributes
   */
  static RecordedEvent read(Row row, boolean hasContents) throws SQLException {
    RecordedEvent.Draft read =
        new RecordedEvent.Draft(
            row.uuid(OUTBOX_EVENTS.EVENT_ID), aggregate(row), row.text(OUTBOX_EVENTS.EVENT_TYPE));
    read.position = row.number(OUTBOX_EVENTS.POSITION);
    read.recordedAt = row.instant(OUTBOX_EVENTS.RECORDED_AT);
    read.failures = Math.max(0, row.integer(OUTBOX_EVENTS.ATTEMPTS));
    if (hasContents) {
      for (EventColumn<?> column : KEPT) {
        if (column.reader != null) {
          column.reader.read(row, read);
        }
      }
    }
    return new RecordedEvent(read);
  }

  static Aggregate aggregate(Row row) throws SQLException {
    return new Aggregate(
        row.text(OUTBOX_EVENTS.AGGREGATE_TYPE), row.text(OUTBOX_EVENTS.AGGREGATE_ID));
  }
}
