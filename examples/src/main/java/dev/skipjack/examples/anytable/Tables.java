package dev.skipjack.examples.anytable;

import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** The tables of these examples. An application would let jOOQ's generator write these classes. */
final class Tables {

  static final Seat SEAT = new Seat();
  static final Address ADDRESS = new Address();
  static final Voucher VOUCHER = new Voucher();
  static final Line LINE = new Line();

  private Tables() {}

  static final class Seat extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    static final String DDL =
        """
        CREATE TABLE seat (
          row_name text NOT NULL,
          number integer NOT NULL,
          customer text,
          held_until timestamptz,
          held_by uuid,
          PRIMARY KEY (row_name, number)
        )\
        """;

    final TableField<Record, String> ROW_NAME =
        createField(DSL.name("row_name"), SQLDataType.CLOB.notNull(), this);
    final TableField<Record, Integer> NUMBER =
        createField(DSL.name("number"), SQLDataType.INTEGER.notNull(), this);
    final TableField<Record, String> CUSTOMER =
        createField(DSL.name("customer"), SQLDataType.CLOB, this);
    final TableField<Record, OffsetDateTime> HELD_UNTIL =
        createField(DSL.name("held_until"), SQLDataType.TIMESTAMPWITHTIMEZONE, this);
    final TableField<Record, UUID> HELD_BY =
        createField(DSL.name("held_by"), SQLDataType.UUID, this);

    private Seat() {
      super(DSL.name("seat"));
    }

    private Seat(String alias) {
      super(DSL.name(alias), null, SEAT, null, DSL.comment(""));
    }

    @Override
    public Seat as(String alias) {
      return new Seat(alias);
    }

    @Override
    public UniqueKey<Record> getPrimaryKey() {
      return Internal.createUniqueKey(SEAT, DSL.name("seat_pkey"), SEAT.ROW_NAME, SEAT.NUMBER);
    }
  }

  static final class Address extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    static final String DDL =
        """
        CREATE TABLE address (
          ip text PRIMARY KEY,
          client text,
          leased_until timestamptz,
          leased_by uuid
        )\
        """;

    final TableField<Record, String> IP =
        createField(DSL.name("ip"), SQLDataType.CLOB.notNull(), this);
    final TableField<Record, OffsetDateTime> LEASED_UNTIL =
        createField(DSL.name("leased_until"), SQLDataType.TIMESTAMPWITHTIMEZONE, this);
    final TableField<Record, UUID> LEASED_BY =
        createField(DSL.name("leased_by"), SQLDataType.UUID, this);

    private Address() {
      super(DSL.name("address"));
    }

    @Override
    public UniqueKey<Record> getPrimaryKey() {
      return Internal.createUniqueKey(this, DSL.name("address_pkey"), IP);
    }
  }

  static final class Voucher extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    static final String DDL =
        """
        CREATE TABLE voucher (
          code text PRIMARY KEY,
          expires_on date NOT NULL,
          customer text
        );
        CREATE INDEX voucher_free_idx ON voucher (expires_on) WHERE customer IS NULL\
        """;

    final TableField<Record, String> CODE =
        createField(DSL.name("code"), SQLDataType.CLOB.notNull(), this);
    final TableField<Record, LocalDate> EXPIRES_ON =
        createField(DSL.name("expires_on"), SQLDataType.LOCALDATE.notNull(), this);
    final TableField<Record, String> CUSTOMER =
        createField(DSL.name("customer"), SQLDataType.CLOB, this);

    private Voucher() {
      super(DSL.name("voucher"));
    }

    @Override
    public UniqueKey<Record> getPrimaryKey() {
      return Internal.createUniqueKey(this, DSL.name("voucher_pkey"), CODE);
    }
  }

  static final class Line extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    static final String DDL =
        """
        CREATE TABLE line (
          number integer PRIMARY KEY,
          text text NOT NULL,
          state text NOT NULL DEFAULT 'new'
        );
        CREATE INDEX line_new_idx ON line (number) WHERE state = 'new'\
        """;

    final TableField<Record, Integer> NUMBER =
        createField(DSL.name("number"), SQLDataType.INTEGER.notNull(), this);
    final TableField<Record, String> TEXT =
        createField(DSL.name("text"), SQLDataType.CLOB.notNull(), this);
    final TableField<Record, String> STATE =
        createField(DSL.name("state"), SQLDataType.CLOB.notNull(), this);

    private Line() {
      super(DSL.name("line"));
    }

    @Override
    public UniqueKey<Record> getPrimaryKey() {
      return Internal.createUniqueKey(this, DSL.name("line_pkey"), NUMBER);
    }
  }
}
