package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.when;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events that the holder of a shard's lease may publish: the oldest pending ones, and
 * those of blocked aggregates whose retry is due.
 *
 * <pre>{@code
 * SELECT event.*, (SELECT shard FROM outbox_blocked WHERE <the event's aggregate>) IS NOT NULL AS is_blocked
 *   FROM (SELECT *, <sizes>, sum(<size>) OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
 *           FROM unnest(:shards, :lows) AS given (shard, low)
 *          CROSS JOIN LATERAL (SELECT ... FROM outbox_events WHERE status = 'pending' AND shard = given.shard AND position >= given.low
 *                               ORDER BY position LIMIT :limit) AS found) AS event
 *  WHERE coalesce(bytes_before, 0) < :bytes ORDER BY position
 *
 * SELECT due_type, due_id, event.*
 *   FROM (SELECT due.*, found.*, <sizes>, sum(<size>) OVER (ORDER BY retry_at, due_type, due_id, position ROWS ...) AS bytes_before
 *           FROM unnest(:shards) AS given (shard)
 *          CROSS JOIN LATERAL (SELECT ... FROM outbox_blocked WHERE shard = given.shard AND retry_at <= statement_timestamp()
 *                               ORDER BY retry_at LIMIT 20) AS due
 *           LEFT JOIN LATERAL (SELECT ... FROM outbox_events WHERE status = 'blocked' AND <due's aggregate>
 *                                 AND position < coalesce((SELECT position FROM outbox_events WHERE status = 'dead' AND <due's aggregate>
 *                                                           ORDER BY position LIMIT 1), <the largest number>)
 *                               ORDER BY position LIMIT :limit) AS found ON true) AS event
 *  WHERE coalesce(bytes_before, 0) < :bytes ORDER BY retry_at, due_type, due_id, position LIMIT :events
 * }</pre>
 *
 * <p>Each statement returns payloads of at most {@code :bytes} plus one more payload, because a
 * relay holds them in memory. The length of a payload is known without reading it. The contents of
 * an event that exceeds the size limits are not returned, because they could exhaust a relay's
 * memory.
 *
 * <p>The second statement does not read events after a dead event that was not skipped. They wait
 * until an operator acts.
 *
 * <p>A scalar subquery looks up blocked aggregates, because the planner would turn EXISTS into a
 * hash of all of them.
 *
 * <p>Without a mark, the lower bound of the positions is the smallest number, because a transaction
 * that commits late adds events before others that have been published. A mark proves that no
 * transaction can still add events below it. Locks nothing, because only the holder of the lease
 * reads.
 */
final class FetchStatement {

  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Param<Long> EVENTS = param("events", Long.class);
  private static final Param<Long> BYTES = param("bytes", Long.class);
  private static final long MOST_RETRIES = 20;

  /** The maximum size of an event's attributes. The table's limits are lower. */
  private static final int MOST_EXTRAS = 65_536;

  private static final ArrayRows GIVEN =
      ArrayRows.named("given").column("shard", param("shards", Short[].class));

  private static final ArrayRows MARKED =
      ArrayRows.named("given")
          .column("shard", param("shards", Short[].class))
          .column("low", param("lows", Long[].class));

  private static final Field<Short> GIVEN_SHARD = GIVEN.field("shard", Short.class);

  private static final Field<Long> POSITION = event(OUTBOX_EVENTS.POSITION);
  private static final Field<String> AGGREGATE_TYPE = EventColumn.AGGREGATE_TYPE.in("event");
  private static final Field<String> AGGREGATE_ID = EventColumn.AGGREGATE_ID.in("event");
  private static final Field<JSONB> HEADERS = EventColumn.HEADERS.in("event");

  private static final Condition HAS_HEADERS = HEADERS.ne(emptyObject());

  private static final Field<Long> PAYLOAD_BYTES = event("payload_bytes", Long.class);
  private static final Field<Long> EXTRA_BYTES = event("extra_bytes", Long.class);
  private static final Condition IS_READABLE =
      PAYLOAD_BYTES
          .le(inline((long) Event.LARGEST_PAYLOAD))
          .and(EXTRA_BYTES.le(inline((long) MOST_EXTRAS)));

  /** The subquery does not run for events without headers. */
  private static final Field<String[]> HEADER_TEXTS =
      when(HAS_HEADERS.and(IS_READABLE), EventHeaders.texts(HEADERS)).as(EventColumn.HEADER_TEXTS);

  private static final Field<Boolean> IS_BLOCKED = field(name("is_blocked"), Boolean.class);
  private static final Field<String> DUE_TYPE = field(name("due", "aggregate_type"), String.class);
  private static final Field<String> DUE_ID = field(name("due", "aggregate_id"), String.class);
  private static final Field<Instant> DUE_RETRY_AT =
      field(name("due", "retry_at"), SQLDataType.INSTANT);
  private static final Field<String> DUE_TYPE_RESULT = event("due_type", String.class);
  private static final Field<String> DUE_ID_RESULT = event("due_id", String.class);
  private static final Field<Instant> RETRY_AT =
      field(name("event", "retry_at"), SQLDataType.INSTANT);
  private static final Field<Long> BYTES_BEFORE = event("bytes_before", Long.class);
  private static final Field<Long> FOUND_POSITION = found(OUTBOX_EVENTS.POSITION);

  private FetchStatement() {}

  /**
   * The events to read.
   *
   * @param lows for each shard, in the order of their numbers, the position below which it has no
   *     pending event; empty if no marks are in use
   * @param limit the maximum number of events of each shard, or of each blocked aggregate
   * @param bytes the size of payloads after which no more events are read
   */
  record Request(List<ShardLease> leases, List<Long> lows, int limit, long bytes) {

    /**
     * Returns whether more events are probably waiting, because these reach the limit of a shard or
     * half of the size.
     */
    boolean isReached(List<Pending> events) {
      long size = events.stream().mapToLong(each -> each.event().payloadSize()).sum();
      return size > bytes / 2
          || (events.size() >= limit
              && events.stream()
                  .collect(groupingBy(each -> each.event().aggregate().shard(), counting()))
                  .values()
                  .stream()
                  .anyMatch(number -> number >= limit));
    }

    private long low(ShardLease lease) {
      return lows.isEmpty() ? Long.MIN_VALUE : lows.get(lease.shard());
    }
  }

  /**
   * A pending event.
   *
   * @param problem why its contents were not read; null if they were
   * @param isBlocked whether its aggregate is blocked, so that it must wait
   */
  record Pending(RecordedEvent event, @Nullable String problem, boolean isBlocked) {}

  /**
   * An event of a blocked aggregate whose retry is due.
   *
   * @param event null if the aggregate has no blocked event, or if a dead event precedes all of
   *     them
   * @param problem why its contents were not read; null if they were
   */
  record Retried(Aggregate aggregate, @Nullable RecordedEvent event, @Nullable String problem) {}

  /**
   * An event that is too large to read.
   *
   * @param event the event without its contents
   */
  record Unreadable(RecordedEvent event, String reason) {}

  static Statement<Request, Pending> pending(DSLContext dialect) {
    Table<?> found =
        lateral(
                select(columns())
                    .from(OUTBOX_EVENTS)
                    .where(OutboxPredicates.PENDING)
                    .and(OUTBOX_EVENTS.SHARD.eq(GIVEN_SHARD))
                    .and(OUTBOX_EVENTS.POSITION.ge(MARKED.field("low", Long.class)))
                    .orderBy(OUTBOX_EVENTS.POSITION)
                    .limit(LIMIT))
            .as("found");
    Table<?> event =
        select(
                table(name("found")).asterisk(),
                payloadBytes(),
                extraBytes(),
                bytesBefore(FOUND_POSITION))
            .from(MARKED.table())
            .crossJoin(found)
            .asTable("event");
    Field<Boolean> isBlocked =
        field(
                field(
                        select(OUTBOX_BLOCKED.SHARD)
                            .from(OUTBOX_BLOCKED)
                            .where(OUTBOX_BLOCKED.AGGREGATE_TYPE.eq(AGGREGATE_TYPE))
                            .and(OUTBOX_BLOCKED.AGGREGATE_ID.eq(AGGREGATE_ID)))
                    .isNotNull())
            .as(IS_BLOCKED);
    return Statement.of(
        dialect,
        select(results(isBlocked)).from(event).where(isWithinBytes()).orderBy(POSITION),
        request -> arguments(request).bigints("lows", request.leases(), request::low),
        row -> new Pending(read(row), problem(row), row.flag(IS_BLOCKED)));
  }

  static Statement<Request, Retried> retried(DSLContext dialect) {
    Table<?> due =
        lateral(
                select(
                        OUTBOX_BLOCKED.AGGREGATE_TYPE,
                        OUTBOX_BLOCKED.AGGREGATE_ID,
                        OUTBOX_BLOCKED.RETRY_AT)
                    .from(OUTBOX_BLOCKED)
                    .where(OUTBOX_BLOCKED.SHARD.eq(GIVEN_SHARD))
                    .and(OutboxPredicates.RETRIED)
                    .and(OUTBOX_BLOCKED.RETRY_AT.le(DatabaseClock.STATEMENT_START))
                    .orderBy(OUTBOX_BLOCKED.RETRY_AT)
                    .limit(inline(MOST_RETRIES)))
            .as("due");
    Condition isDue =
        OUTBOX_EVENTS.AGGREGATE_TYPE.eq(DUE_TYPE).and(OUTBOX_EVENTS.AGGREGATE_ID.eq(DUE_ID));
    Field<Long> firstDead =
        field(
            select(OUTBOX_EVENTS.POSITION)
                .from(OUTBOX_EVENTS)
                .where(OutboxPredicates.BLOCKING)
                .and(isDue)
                .orderBy(OUTBOX_EVENTS.POSITION)
                .limit(inline(1)));
    Table<?> found =
        lateral(
                select(columns())
                    .from(OUTBOX_EVENTS)
                    .where(OutboxPredicates.BLOCKED)
                    .and(isDue)
                    .and(OUTBOX_EVENTS.POSITION.lt(coalesce(firstDead, inline(Long.MAX_VALUE))))
                    .orderBy(OUTBOX_EVENTS.POSITION)
                    .limit(LIMIT))
            .as("found");
    Table<?> event =
        select(
                DUE_TYPE.as("due_type"),
                DUE_ID.as("due_id"),
                DUE_RETRY_AT.as("retry_at"),
                table(name("found")).asterisk(),
                payloadBytes(),
                extraBytes(),
                bytesBefore(DUE_RETRY_AT, DUE_TYPE, DUE_ID, FOUND_POSITION))
            .from(GIVEN.table())
            .crossJoin(due)
            .leftJoin(found)
            .on(trueCondition())
            .asTable("event");
    return Statement.of(
        dialect,
        select(results(DUE_TYPE_RESULT))
            .select(DUE_ID_RESULT)
            .from(event)
            .where(isWithinBytes())
            .orderBy(RETRY_AT, DUE_TYPE_RESULT, DUE_ID_RESULT, POSITION)
            .limit(EVENTS),
        request ->
            arguments(request).number("events", (long) request.limit() * request.leases().size()),
        FetchStatement::retried);
  }

  private static Field<Integer> payloadBytes() {
    return length(EventColumn.PAYLOAD.in("found")).as("payload_bytes");
  }

  private static Field<Integer> extraBytes() {
    Field<JSONB> headers = EventColumn.HEADERS.in("found");
    Field<Integer> bytesOfHeaders =
        when(headers.ne(emptyObject()), length(cast(headers, SQLDataType.CLOB)))
            .otherwise(inline(0));
    return EventColumn.TEXTS.stream()
        .map(FetchStatement::bytes)
        .reduce(Field::plus)
        .orElseThrow()
        .plus(bytesOfHeaders)
        .as("extra_bytes");
  }

  private static Field<Integer> bytes(EventColumn<?> column) {
    Field<Integer> length = length(column.in("found"));
    return column.stored().getDataType().nullable() ? coalesce(length, inline(0)) : length;
  }

  private static Field<Integer> length(Field<?> value) {
    return field("pg_catalog.octet_length({0})", Integer.class, value);
  }

  /** The size of the payloads of the events before this one; null for the first. */
  private static Field<Long> bytesBefore(Field<?>... order) {
    return sum(least(length(EventColumn.PAYLOAD.in("found")), inline(Event.LARGEST_PAYLOAD)))
        .over()
        .orderBy(order)
        .rowsBetweenUnboundedPreceding()
        .andPreceding(1)
        .coerce(Long.class)
        .as("bytes_before");
  }

  private static Condition isWithinBytes() {
    return coalesce(BYTES_BEFORE, inline(0L)).lt(BYTES);
  }

  private static Retried retried(Row row) throws SQLException {
    Aggregate aggregate = new Aggregate(row.text(DUE_TYPE_RESULT), row.text(DUE_ID_RESULT));
    return row.numberOrNull(POSITION) == null
        ? new Retried(aggregate, null, null)
        : new Retried(aggregate, read(row), problem(row));
  }

  private static List<Field<?>> columns() {
    List<Field<?>> columns = new ArrayList<>();
    columns.add(OUTBOX_EVENTS.POSITION);
    EventColumn.IDENTITY.forEach(column -> columns.add(column.stored()));
    columns.add(OUTBOX_EVENTS.PAYLOAD);
    EventColumn.ATTRIBUTES.forEach(column -> columns.add(column.stored()));
    columns.add(OUTBOX_EVENTS.RECORDED_AT);
    columns.add(OUTBOX_EVENTS.ATTEMPTS);
    return columns;
  }

  private static List<Field<?>> results(Field<?> more) {
    List<Field<?>> results = new ArrayList<>();
    results.add(POSITION);
    EventColumn.IDENTITY.forEach(column -> results.add(column.in("event")));
    results.add(ifReadable(EventColumn.PAYLOAD));
    EventColumn.TEXTS.forEach(column -> results.add(ifReadable(column)));
    results.add(event(OUTBOX_EVENTS.RECORDED_AT));
    results.add(event(OUTBOX_EVENTS.ATTEMPTS));
    results.add(HEADER_TEXTS);
    results.add(PAYLOAD_BYTES);
    results.add(EXTRA_BYTES);
    results.add(more);
    return results;
  }

  private static Field<?> ifReadable(EventColumn<?> column) {
    return when(IS_READABLE, column.in("event")).as(column.name());
  }

  private static RecordedEvent read(Row row) throws SQLException {
    return EventColumn.read(row, problem(row) == null);
  }

  private static @Nullable String problem(Row row) throws SQLException {
    long payload = row.number(PAYLOAD_BYTES);
    if (payload > Event.LARGEST_PAYLOAD) {
      return tooLarge("The payload has", payload, Event.LARGEST_PAYLOAD);
    }
    long extras = row.number(EXTRA_BYTES);
    return extras > MOST_EXTRAS
        ? tooLarge("Content type, headers and traceparent have", extras, MOST_EXTRAS)
        : null;
  }

  private static String tooLarge(String what, long bytes, int most) {
    return "%s %,d bytes; relays read at most %,d.".formatted(what, bytes, most);
  }

  private static Arguments arguments(Request request) {
    return new Arguments()
        .smallints("shards", request.leases(), ShardLease::shard)
        .number("limit", request.limit())
        .number("bytes", request.bytes());
  }

  private static Field<JSONB> emptyObject() {
    return field("cast('{}' as jsonb)", JSONB.class);
  }

  private static <T> Field<T> found(Field<T> column) {
    return field(name("found", column.getName()), column.getDataType());
  }

  private static <T> Field<T> event(Field<T> column) {
    return field(name("event", column.getName()), column.getDataType());
  }

  private static <T> Field<T> event(String column, Class<T> type) {
    return field(name("event", column), type);
  }
}
