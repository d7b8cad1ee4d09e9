package dev.skipjack.torture;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** A table of an application, from which workers take rows. */
final class RowTable extends TableImpl<Record> {

  private static final long serialVersionUID = 1L;

  /** Creates the tables. {@code @} stands for the schema. */
  static final List<String> TABLES =
      List.of(
          "CREATE TABLE IF NOT EXISTS @torture_rows (id integer PRIMARY KEY, free_at timestamptz"
              + " NOT NULL, taken boolean NOT NULL, lease_until timestamptz, lease_holder uuid)",
          "CREATE TABLE IF NOT EXISTS @torture_takes (row_id integer NOT NULL, taker text NOT"
              + " NULL)",
          "CREATE INDEX IF NOT EXISTS torture_takes_row_idx ON @torture_takes (row_id)");

  final TableField<Record, Integer> id =
      createField(DSL.name("id"), SQLDataType.INTEGER.nullable(false), this);
  final TableField<Record, OffsetDateTime> freeAt =
      createField(DSL.name("free_at"), SQLDataType.TIMESTAMPWITHTIMEZONE.nullable(false), this);
  final TableField<Record, Boolean> taken =
      createField(DSL.name("taken"), SQLDataType.BOOLEAN.nullable(false), this);
  final TableField<Record, OffsetDateTime> leaseUntil =
      createField(DSL.name("lease_until"), SQLDataType.TIMESTAMPWITHTIMEZONE, this);
  final TableField<Record, UUID> leaseHolder =
      createField(DSL.name("lease_holder"), SQLDataType.UUID, this);

  RowTable(String schema) {
    super(DSL.name("torture_rows"), DSL.schema(DSL.name(schema)));
  }

  /**
   * Returns the statement that adds rows, which become free one after another.
   *
   * @param seconds the time until the last row is free
   */
  static String insert(int rows, double seconds) {
    return "INSERT INTO @torture_rows SELECT n, clock_timestamp() + %s * interval '1 second' * n / %d, false FROM generate_series(1, %d) AS n"
        .formatted(seconds, rows, rows);
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"}) // there are no arrays of parameterized types
  public UniqueKey<Record> getPrimaryKey() {
    return Internal.createUniqueKey(
        this, DSL.name("torture_rows_pkey"), new TableField[] {id}, true);
  }
}
