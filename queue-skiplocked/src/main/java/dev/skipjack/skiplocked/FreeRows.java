package dev.skipjack.skiplocked;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.SelectField;
import org.jooq.SortField;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.QOM.NullOrdering;
import org.jooq.impl.SQLDataType;

/**
 * Selects and locks rows; the first part of every statement that claims.
 *
 * <pre>{@code
 * free AS MATERIALIZED (
 *   SELECT seat.row, seat.number, show.starts_at AS skiplocked_order_1, seat.tableoid AS skiplocked_source
 *     FROM seat
 *     JOIN show ON ...
 *    WHERE seat.status = 'free'
 *    ORDER BY show.starts_at
 *    LIMIT 2
 *      FOR NO KEY UPDATE OF seat SKIP LOCKED)
 * }</pre>
 *
 * <ul>
 *   <li>A MATERIALIZED CTE is executed once. A subquery in IN or a join is executed again for each
 *       row of the other side if the planner chooses a nested loop, and may lock different rows
 *       each time.
 *   <li>The limit is part of the text, not a bind value: for an unknown limit, the planner assumes
 *       a tenth of the table and prefers to sort it.
 *   <li>If another transaction changes a row between the snapshot and the lock, PostgreSQL
 *       evaluates conditions and columns again for the new version. The sort keys are columns of
 *       the CTE, so that the result can be sorted by the values that were locked.
 *   <li>A view has no {@code tableoid}, so the statement fails for a view that jOOQ takes for a
 *       table.
 *   <li>The names of CTEs begin with {@code skiplocked_}, so that they do not shadow the caller's
 *       tables.
 * </ul>
 *
 * @param order may be empty
 */
record FreeRows<R extends Record>(
    ClaimedTable<R> source,
    List<Join> joins,
    Condition condition,
    List<OrderField<?>> order,
    LockStrength strength) {

  static final Name SOURCE = DSL.name("skiplocked_source");

  private static final String ORDER = "skiplocked_order_";

  /** A joined table, whose rows are not locked. */
  record Join(Table<?> table, Condition on) {}

  static <R extends Record> FreeRows<R> of(ClaimedTable<R> source) {
    return new FreeRows<>(
        source, List.of(), DSL.noCondition(), List.of(), LockStrength.NO_KEY_UPDATE);
  }

  FreeRows<R> where(Condition further) {
    return new FreeRows<>(source, joins, condition.and(further), order, strength);
  }

  FreeRows<R> join(Join further) {
    List<Join> all = Stream.concat(joins.stream(), Stream.of(further)).toList();
    return new FreeRows<>(source, all, condition, order, strength);
  }

  boolean hasJoins() {
    return !joins.isEmpty();
  }

  FreeRows<R> orderBy(List<OrderField<?>> fields) {
    return new FreeRows<>(source, joins, condition, fields, strength);
  }

  FreeRows<R> lock(LockStrength other) {
    return new FreeRows<>(source, joins, condition, order, other);
  }

  CommonTableExpression<Record> select(Collection<? extends SelectField<?>> columns, int limit) {
    List<SelectField<?>> selected = new ArrayList<>(columns);
    for (int i = 0; i < order.size(); i++) {
      selected.add(sorted(order.get(i)).as(ORDER + (i + 1)));
    }
    selected.add(sourceOf(source).as(SOURCE));
    Table<?> from = source.table();
    for (Join join : joins) {
      from = from.join(join.table()).on(join.on());
    }
    return DSL.name("skiplocked_free")
        .asMaterialized(
            strength
                .lock(
                    DSL.select(selected)
                        .from(from)
                        .where(condition)
                        .orderBy(order)
                        .limit(DSL.inline(limit)))
                .of(source.table())
                .skipLocked());
  }

  /** Returns the {@code tableoid} of a row, which identifies its table or partition. */
  static Field<Long> sourceOf(ClaimedTable<?> source) {
    return DSL.field("{0}.tableoid", SQLDataType.BIGINT, source.table());
  }

  /** Returns the table or partition of a row in {@code other}, which was selected as SOURCE. */
  static Field<Long> sourceIn(Name other) {
    return DSL.field(other.append(SOURCE), SQLDataType.BIGINT);
  }

  /** Returns the sort fields for the rows in {@code free}, with the values that were locked. */
  List<SortField<?>> order(Table<?> free) {
    List<SortField<?>> sorted = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      Field<?> key = Objects.requireNonNull(free.field(ORDER + (i + 1)));
      sorted.add(order.get(i) instanceof SortField<?> like ? like(like, key) : key.asc());
    }
    return sorted;
  }

  private static Field<?> sorted(OrderField<?> order) {
    if (order instanceof SortField<?> field) {
      return field.$field();
    }
    return (Field<?>) order;
  }

  private static SortField<?> like(SortField<?> original, Field<?> key) {
    SortField<?> sorted = key.sort(original.$sortOrder());
    NullOrdering nulls = original.$nullOrdering();
    if (nulls == null) {
      return sorted;
    }
    return nulls == NullOrdering.NULLS_FIRST ? sorted.nullsFirst() : sorted.nullsLast();
  }

  /**
   * If the server has reported that the table's rows cannot be locked individually, replaces its
   * error with an exception that names the table.
   *
   * @return the exception to throw; {@code error} itself if it has another cause
   */
  RuntimeException explain(DataAccessException error) {
    String message = messageOf(error);
    IllegalArgumentException explained =
        switch (error.sqlState()) {
          // undefined_column
          case "42703" -> message.contains("tableoid") ? notATable() : null;
          // wrong_object_type
          case "42809" -> message.contains("materialized view") ? notATable() : null;
          // feature_not_supported
          case "0A000" -> message.contains("FOR ") ? notPerRow() : null;
          // grouping_error, windowing_error
          case "42803", "42P20" -> notPerRow();
          default -> null;
        };
    if (explained == null) {
      return error;
    }
    explained.initCause(error);
    return explained;
  }

  /** Returns the server's message. jOOQ's message also contains the statement. */
  private static String messageOf(DataAccessException error) {
    Throwable cause = error.getCause();
    return cause == null ? "" : String.valueOf(cause.getMessage());
  }

  private IllegalArgumentException notATable() {
    return ClaimedTable.notATable(source.name(), "it is not a table");
  }

  private IllegalArgumentException notPerRow() {
    return new IllegalArgumentException(
        "Cannot claim rows of %s: its conditions or its order contain an aggregate, a window function or a set-returning function. Put it into a subquery."
            .formatted(source.name()));
  }

  /**
   * Returns {@code claimed}.
   *
   * @throws IllegalStateException if a join has returned a row more than once
   */
  List<R> requireDistinct(List<R> claimed) {
    if (hasJoins() && claimed.stream().map(source::keyOf).distinct().count() < claimed.size()) {
      throw new IllegalStateException(
          "A join returned a row of %s more than once, so fewer rows than requested were claimed. Use a condition with EXISTS instead of the join."
              .formatted(source.name()));
    }
    return claimed;
  }
}
