package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Records events.
 *
 * <pre>{@code
 * INSERT INTO outbox_events (event_id, shard, aggregate_type, ...) VALUES (:event_id, :shard, :aggregate_type, ...) RETURNING position
 * }</pre>
 *
 * <p>Several events are the rows of an {@code unnest}, inserted in their order. Locks no row that
 * another transaction can see.
 */
final class RecordStatement {

  private RecordStatement() {}

  /** Creates the statement that records one event. */
  static Statement<NewEvent, Long> ofOne(DSLContext dialect) {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    for (EventColumn<?> column : EventColumn.RECORDED) {
      values.put(column.stored(), column.inserted().apply(column.single()));
    }
    return Statement.selfContained(
        dialect,
        insertInto(OUTBOX_EVENTS).set(values).returning(OUTBOX_EVENTS.POSITION),
        RecordStatement::argumentsOfOne,
        row -> row.number(OUTBOX_EVENTS.POSITION));
  }

  /** Creates the statement that records several events. */
  static Statement<List<NewEvent>, Long> ofAll(DSLContext dialect) {
    ArrayRows given = ArrayRows.named("given");
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    for (EventColumn<?> column : EventColumn.RECORDED) {
      given.column(column.name(), column.array());
      values.put(column.stored(), column.inserted().apply(column.in("given")));
    }
    given.withPosition();
    return Statement.of(
        dialect,
        insertInto(OUTBOX_EVENTS, values.keySet())
            .select(
                select(values.values())
                    .from(given.table())
                    .orderBy(given.field("position", Long.class)))
            .returning(OUTBOX_EVENTS.POSITION),
        RecordStatement::argumentsOfAll,
        row -> row.number(OUTBOX_EVENTS.POSITION));
  }

  private static Arguments argumentsOfOne(NewEvent recorded) {
    Arguments arguments = new Arguments();
    EventColumn.RECORDED.forEach(column -> column.bindOne().accept(arguments, recorded));
    return arguments;
  }

  private static Arguments argumentsOfAll(List<NewEvent> recorded) {
    Arguments arguments = new Arguments();
    EventColumn.RECORDED.forEach(column -> column.bindAll().accept(arguments, recorded));
    return arguments;
  }
}
