package dev.skipjack.skiplocked;

import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Name;
import org.jooq.Schema;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.TableOptions;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;
import org.jooq.impl.UpdatableRecordImpl;
import org.jspecify.annotations.Nullable;

/** A table with a composite key, in the form that jOOQ's generator produces. */
final class Seat extends TableImpl<Seat.SeatRecord> {

  private static final long serialVersionUID = 1L;

  static final Seat SEAT = new Seat(DSL.name("seat"), null);

  static final String DDL =
      """
      CREATE TABLE seat (
        row_name text NOT NULL,
        number integer NOT NULL,
        status text NOT NULL DEFAULT 'free',
        price numeric(8, 2),
        held_until timestamptz,
        held_by uuid,
        CONSTRAINT seat_pkey PRIMARY KEY (row_name, number)
      )\
      """;

  final TableField<SeatRecord, String> ROW_NAME =
      createField(DSL.name("row_name"), SQLDataType.CLOB.nullable(false), this);
  final TableField<SeatRecord, Integer> NUMBER =
      createField(DSL.name("number"), SQLDataType.INTEGER.nullable(false), this);
  final TableField<SeatRecord, String> STATUS =
      createField(
          DSL.name("status"),
          SQLDataType.CLOB.nullable(false).defaultValue(DSL.inline("free")),
          this);
  final TableField<SeatRecord, BigDecimal> PRICE =
      createField(DSL.name("price"), SQLDataType.NUMERIC(8, 2), this);
  final TableField<SeatRecord, OffsetDateTime> HELD_UNTIL =
      createField(DSL.name("held_until"), SQLDataType.TIMESTAMPWITHTIMEZONE(6), this);
  final TableField<SeatRecord, UUID> HELD_BY =
      createField(DSL.name("held_by"), SQLDataType.UUID, this);

  private Seat(Name name, @Nullable Table<SeatRecord> aliased) {
    super(name, null, aliased, null, DSL.comment(""), TableOptions.table(), (Condition) null);
  }

  @Override
  public Schema getSchema() {
    return DSL.schema(DSL.name("public"));
  }

  @Override
  public Class<SeatRecord> getRecordType() {
    return SeatRecord.class;
  }

  @Override
  public UniqueKey<SeatRecord> getPrimaryKey() {
    return Internal.createUniqueKey(SEAT, DSL.name("seat_pkey"), SEAT.ROW_NAME, SEAT.NUMBER);
  }

  @Override
  public Seat as(String alias) {
    return new Seat(DSL.name(alias), this);
  }

  static final class SeatRecord extends UpdatableRecordImpl<SeatRecord> {

    private static final long serialVersionUID = 1L;

    SeatRecord() {
      super(SEAT);
    }

    /** Returns the row and the number, for example {@code B7}. */
    String place() {
      return get(SEAT.ROW_NAME) + get(SEAT.NUMBER);
    }
  }
}
