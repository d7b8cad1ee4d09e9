package dev.skipjack.skiplocked;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.TableOptions.TableType;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.QOM;

/**
 * A table whose rows can be locked one by one.
 *
 * @param key the fields of the primary key; empty if jOOQ knows none
 */
record ClaimedTable<R extends Record>(Table<R> table, List<Field<?>> key) {

  static <R extends Record> ClaimedTable<R> of(Table<R> table) {
    refuseUnlockable(table.getName(), table);
    if (table.fields().length == 0) {
      throw new IllegalArgumentException(
          "Cannot claim rows of %s: jOOQ does not know its columns. Use the class that jOOQ's"
                  .formatted(table.getName())
              + " generator writes for the table.");
    }
    return new ClaimedTable<>(table, keyOf(table));
  }

  private static void refuseUnlockable(String name, Table<?> table) {
    if (table instanceof QOM.TableAlias<?> alias) {
      refuseUnlockable(name, alias.$aliased());
      return;
    }
    TableType type = table.getTableType();
    if (type.isView()) {
      throw notATable(name, "it is a view");
    }
    if (type.isFunction()) {
      throw notATable(name, "it is a function");
    }
    if (table instanceof QOM.JoinTable<?, ?>) {
      throw new IllegalArgumentException(
          "Cannot claim rows of %s: it is a join. Claim rows of one table, and join the others with"
                  .formatted(name)
              + " join(...).");
    }
    if (type == TableType.EXPRESSION) {
      throw new IllegalArgumentException(
          "Cannot claim rows of %s: it is the result of a query. DISTINCT, GROUP BY, aggregates and"
                  .formatted(name)
              + " set operations combine rows, and a combined row cannot be locked. Claim rows of"
              + " the table, and use the query in a condition.");
    }
  }

  static IllegalArgumentException notATable(String name, String what) {
    return new IllegalArgumentException(
        "Cannot claim rows of %s: %s, whose rows cannot be locked one by one. Claim rows of a table."
            .formatted(name, what));
  }

  private static List<Field<?>> keyOf(Table<?> table) {
    UniqueKey<?> primaryKey = table.getPrimaryKey();
    if (primaryKey == null) {
      return List.of();
    }
    return Arrays.<TableField<?, ?>>stream(primaryKey.getFieldsArray())
        .<Field<?>>map(field -> Objects.requireNonNull(table.field(field)))
        .toList();
  }

  String name() {
    return table.getName();
  }

  /** Rejects a table without a primary key, with a message that names {@code purpose}. */
  void requireKey(String purpose) {
    if (key.isEmpty()) {
      throw new IllegalArgumentException(
          "%s of %s needs a primary key, and jOOQ knows none. Add a primary key to the table and generate its class again."
              .formatted(purpose, name()));
    }
  }

  /**
   * Returns the key of the row. Keys with equal values are equal, even if a value is an array, such
   * as bytea, or an instant that was read in another time zone.
   */
  Record keyOf(Record row) {
    Record values = row.into(key.toArray(new Field<?>[0]));
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i) instanceof OffsetDateTime time) {
        set(values, key.get(i), time.withOffsetSameInstant(ZoneOffset.UTC));
      }
    }
    return values;
  }

  private static <T> void set(Record values, Field<T> field, Object value) {
    values.set(field, field.getType().cast(value));
  }

  /** Returns a column of the key in {@code other}, whose key columns have the same names. */
  static <T> Field<T> in(Name other, Field<T> keyField) {
    return DSL.field(other.append(keyField.getUnqualifiedName()), keyField.getDataType());
  }

  /** Returns the condition that the rows of {@code one} and {@code other} have the same key. */
  Condition keysMatch(Name one, Name other) {
    return DSL.and(key.stream().map(field -> equal(in(one, field), in(other, field))).toList());
  }

  /** Returns the condition that the rows of this table and of {@code other} have the same key. */
  Condition keyMatches(Name other) {
    return DSL.and(key.stream().map(field -> equal(field, in(other, field))).toList());
  }

  private static <T> Condition equal(Field<T> one, Field<?> other) {
    return one.eq(other.coerce(one));
  }
}
