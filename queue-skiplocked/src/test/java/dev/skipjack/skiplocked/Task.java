package dev.skipjack.skiplocked;

import java.time.Instant;
import java.util.UUID;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** A table with a single-column key and a reference to a seat. */
final class Task extends TableImpl<Record> {

  private static final long serialVersionUID = 1L;

  static final Task TASK = new Task();

  static final String DDL =
      """
      CREATE TABLE task (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        batch integer NOT NULL DEFAULT 0,
        state text NOT NULL DEFAULT 'open',
        row_name text,
        number integer,
        leased_until timestamptz,
        leased_by uuid,
        FOREIGN KEY (row_name, number) REFERENCES seat
      )\
      """;

  final TableField<Record, Long> ID =
      createField(DSL.name("id"), SQLDataType.BIGINT.nullable(false).identity(true), this);
  final TableField<Record, Integer> BATCH =
      createField(DSL.name("batch"), SQLDataType.INTEGER.nullable(false), this);
  final TableField<Record, String> STATE =
      createField(DSL.name("state"), SQLDataType.CLOB.nullable(false), this);
  final TableField<Record, String> ROW_NAME =
      createField(DSL.name("row_name"), SQLDataType.CLOB, this);
  final TableField<Record, Integer> NUMBER =
      createField(DSL.name("number"), SQLDataType.INTEGER, this);
  final TableField<Record, Instant> LEASED_UNTIL =
      createField(DSL.name("leased_until"), SQLDataType.INSTANT, this);
  final TableField<Record, UUID> LEASED_BY =
      createField(DSL.name("leased_by"), SQLDataType.UUID, this);

  private Task() {
    super(DSL.name("task"), DSL.schema(DSL.name("public")));
  }

  @Override
  public UniqueKey<Record> getPrimaryKey() {
    return Internal.createUniqueKey(this, DSL.name("task_pkey"), ID);
  }
}
