package dev.skipjack.skiplocked;

import java.time.Instant;
import java.util.UUID;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.UpdateSetFirstStep;
import org.jooq.UpdateSetMoreStep;
import org.jooq.impl.SQLDataType;

/** The two columns in which a table stores its leases. */
record LeaseColumns<T>(Field<T> until, Field<UUID> holder) {

  static <T> LeaseColumns<T> of(ClaimedTable<?> table, Field<T> until, Field<UUID> holder) {
    table.requireKey("A lease on a row");
    requireNullable(table, until);
    requireNullable(table, holder);
    if (!isInstant(until.getDataType())) {
      throw new IllegalArgumentException(
          "Column %s of %s must have the type timestamptz to store the end of a lease, not %s: without a time zone, sessions with different zones would read it as different times."
              .formatted(until.getName(), table.name(), until.getDataType().getTypeName()));
    }
    if (until.getDataType().precisionDefined() && until.getDataType().precision() < 6) {
      throw new IllegalArgumentException(
          "Column %s of %s must store microseconds, and its type is timestamptz(%d): a lease would end at another time than agreed."
              .formatted(until.getName(), table.name(), until.getDataType().precision()));
    }
    return new LeaseColumns<>(until, holder);
  }

  private static void requireNullable(ClaimedTable<?> table, Field<?> column) {
    if (!column.equals(table.table().field(column))) {
      throw new IllegalArgumentException(
          "Column %s is not a column of %s. Use the fields of the table, or of the alias, that is claimed."
              .formatted(column.getName(), table.name()));
    }
    if (!column.getDataType().nullable()) {
      throw new IllegalArgumentException(
          "Column %s of %s must be nullable, because a row without a lease has no value there."
              .formatted(column.getName(), table.name()));
    }
  }

  private static boolean isInstant(DataType<?> type) {
    DataType<?> sql = type.getSQLDataType();
    return SQLDataType.TIMESTAMPWITHTIMEZONE.equals(sql) || SQLDataType.INSTANT.equals(sql);
  }

  Condition isFree() {
    return LeaseClock.isFree(until);
  }

  <R extends Record> UpdateSetMoreStep<R> take(
      UpdateSetFirstStep<R> update, CommonTableExpression<Record1<Instant>> term, UUID token) {
    return extend(update, term).set(holder, token);
  }

  <R extends Record> UpdateSetMoreStep<R> extend(
      UpdateSetFirstStep<R> update, CommonTableExpression<Record1<Instant>> term) {
    return update.set(until, LeaseClock.end(term, until));
  }

  <R extends Record> UpdateSetMoreStep<R> clear(UpdateSetFirstStep<R> update) {
    return update.setNull(until).setNull(holder);
  }

  Condition isHeldBy(UUID token) {
    return holder.eq(token);
  }
}
