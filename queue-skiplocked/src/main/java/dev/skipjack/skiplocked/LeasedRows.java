package dev.skipjack.skiplocked;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.SelectField;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Rows under a lease, with their primary keys as the server writes them.
 *
 * <p>Statements send these texts back, and the server casts them to the types of the columns:
 *
 * <pre>{@code
 * unnest((SELECT :rows), (SELECT :numbers)) WITH ORDINALITY AS given (key_1, key_2, position)
 *   ... seat.row = CAST(given.key_1 AS pg_catalog.text) AND seat.number = CAST(given.key_2 AS pg_catalog.int4)
 * }</pre>
 *
 * <ul>
 *   <li>The values that Java has read are not sent. They may be less precise than the stored ones,
 *       as a {@code LocalTime} is, or have a type that the server cannot compare with the column's.
 *   <li>The server parses a long list of row values into nested conditions, and runs out of stack.
 *       Arrays have no such limit.
 *   <li>The arrays are subqueries, so the planner expects ten rows from them and looks up each row
 *       in the primary key's index.
 * </ul>
 *
 * @param types for each column of the key, the qualified name of its type; empty if there are no
 *     rows
 */
record LeasedRows<R extends Record>(List<String> types, List<LeasedRow<R>> rows) {

  private static final Name GIVEN = DSL.name("skiplocked_given");
  private static final Name POSITION = DSL.name("skiplocked_position");

  /** A row and the values of its primary key, as text. */
  record LeasedRow<R extends Record>(List<String> key, R row) {}

  static <R extends Record> LeasedRows<R> read(ClaimedTable<R> source, List<Record> claimed) {
    int width = source.key().size();
    List<String> types =
        claimed.isEmpty() ? List.of() : texts(claimed.get(0), width, LeasedRows::typeName);
    return new LeasedRows<>(
        types,
        claimed.stream()
            .map(
                row ->
                    new LeasedRow<>(
                        texts(row, width, LeasedRows::keyName), row.into(source.table())))
            .toList());
  }

  private static List<String> texts(Record row, int width, IntFunction<Name> name) {
    return IntStream.rangeClosed(1, width)
        .mapToObj(column -> row.get(DSL.field(name.apply(column), String.class)))
        .toList();
  }

  /** Returns the columns of {@code locked} that {@link #read} needs. */
  static List<SelectField<?>> columns(ClaimedTable<?> source, Table<?> locked) {
    List<SelectField<?>> columns = new ArrayList<>();
    for (int i = 0; i < source.key().size(); i++) {
      Field<?> value = ClaimedTable.in(locked.getUnqualifiedName(), source.key().get(i));
      columns.add(DSL.field("cast({0} as text)", SQLDataType.CLOB, value).as(keyName(i + 1)));
      columns.add(typeOf(value, locked).as(typeName(i + 1)));
    }
    return columns;
  }

  /** Returns the qualified name of a column's type. The subquery is executed once for all rows. */
  private static Field<String> typeOf(Field<?> value, Table<?> locked) {
    return DSL.field(
        "(select cast(cast(typnamespace as regnamespace) as text) || '.' || pg_catalog.quote_ident(typname)"
            + " from pg_catalog.pg_type where oid = (select pg_catalog.pg_typeof({0}) from {1} limit 1))",
        SQLDataType.CLOB, value, DSL.table(locked.getUnqualifiedName()));
  }

  private static Name keyName(int column) {
    return DSL.name("skiplocked_key_" + column);
  }

  private static Name typeName(int column) {
    return DSL.name("skiplocked_type_" + column);
  }

  /** Returns the keys as a table, with their positions in {@link #rows} from 1. */
  Table<?> given() {
    List<Field<?>> arrays = new ArrayList<>();
    List<Name> names = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      int column = i;
      String[] values = rows.stream().map(row -> row.key().get(column)).toArray(String[]::new);
      arrays.add(DSL.field("(select {0})", DSL.val(values)));
      names.add(keyName(i + 1));
    }
    names.add(POSITION);
    return DSL.table("unnest({0}) with ordinality", DSL.list(arrays)).as(GIVEN, names);
  }

  /** Returns the condition that a row of the table has the key of a row in {@link #given}. */
  Condition isGiven(ClaimedTable<R> source) {
    List<Condition> equal = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      equal.add(
          DSL.condition(
              "{0} = cast({1} as {2})",
              source.key().get(i), DSL.field(GIVEN.append(keyName(i + 1))), DSL.raw(types.get(i))));
    }
    return DSL.and(equal);
  }

  List<R> values() {
    return rows.stream().map(LeasedRow::row).toList();
  }

  static Field<Long> position() {
    return DSL.field(GIVEN.append(POSITION), SQLDataType.BIGINT);
  }

  /** Returns these rows with their new values; those without a new value are left out. */
  LeasedRows<R> changed(Map<Long, R> byPosition) {
    List<LeasedRow<R>> changed = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      R row = byPosition.get(i + 1L);
      if (row != null) {
        changed.add(new LeasedRow<>(rows.get(i).key(), row));
      }
    }
    return new LeasedRows<>(types, changed);
  }

  /**
   * Returns the rows that {@code some} contains, found as objects or by their keys. Returns null if
   * {@code some} has a row with another key. A row of {@code some} replaces the one with its key.
   */
  @Nullable LeasedRows<R> only(ClaimedTable<R> source, Collection<R> some) {
    IdentityHashMap<R, LeasedRow<R>> byObject = new IdentityHashMap<>();
    Map<Record, LeasedRow<R>> byKey = new HashMap<>();
    for (LeasedRow<R> row : rows) {
      byObject.put(row.row(), row);
      byKey.put(source.keyOf(row.row()), row);
    }
    List<LeasedRow<R>> chosen = new ArrayList<>();
    for (R row : some) {
      LeasedRow<R> known = byObject.getOrDefault(row, byKey.get(source.keyOf(row)));
      if (known == null) {
        return null;
      }
      chosen.add(new LeasedRow<>(known.key(), row));
    }
    return new LeasedRows<>(types, chosen);
  }
}
