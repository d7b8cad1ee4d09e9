package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.DataType;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultDataType;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests leases of rows with primary keys of many types, and writes of these leases in a session
 * with other settings.
 */
@QueueTest
class KeyTypesTest {

  private static final String ODD_DOMAIN = "public.\"odd \"\"domain\"\"\"";

  record Key(String type, DataType<?> generated, List<String> values) {}

  static Stream<Named<Key>> keys() {
    return Stream.of(
            key("boolean", SQLDataType.BOOLEAN, "false", "true"),
            key("smallint", SQLDataType.SMALLINT, "-32768", "32767"),
            key("integer", SQLDataType.INTEGER, "-1", "1"),
            key("bigint", SQLDataType.BIGINT, "-9223372036854775808", "9223372036854775807"),
            key("numeric", SQLDataType.NUMERIC, "0.10", "1e40"),
            key("real", SQLDataType.REAL, "0.1", "Infinity"),
            key("double precision", SQLDataType.DOUBLE, "0.1", "1e-320"),
            key("text", SQLDataType.CLOB, "", "a''b\\c, {\"NULL\"}"),
            key("varchar(9)", SQLDataType.VARCHAR(9), " a", "NULL"),
            key("char(5)", SQLDataType.CHAR(5), "a", "b c"),
            key("\"char\"", SQLDataType.CHAR, "a", "b"),
            key("name", SQLDataType.VARCHAR(63), "a", "b"),
            key(
                "uuid",
                SQLDataType.UUID,
                "00000000-0000-7000-8000-000000000001",
                "ffffffff-0000-7000-8000-000000000001"),
            key("bytea", SQLDataType.BLOB, "\\x00ff", "\\x"),
            key("date", SQLDataType.LOCALDATE, "2026-11-26", "9999-12-31"),
            key("time", SQLDataType.LOCALTIME(6), "12:00:00.123456", "23:59:59.999999"),
            key("time", SQLDataType.TIME, "12:00:00.123456", "12:00:00.123457"),
            key("timetz", SQLDataType.OFFSETTIME, "12:00:00.123456+05", "12:00:00.123456+06"),
            key(
                "timestamp",
                SQLDataType.LOCALDATETIME(6),
                "2026-11-26 01:02:03.456789",
                "1970-01-01"),
            key(
                "timestamptz",
                SQLDataType.OFFSETDATETIME(6),
                "2026-11-26 01:02:03.456789+01",
                "2026-11-26 01:02:03.456790+01"),
            key(
                "timestamptz",
                SQLDataType.INSTANT,
                "2026-11-26 01:02:03.456789+01",
                "2026-11-26 01:02:03.456790+01"),
            key("interval", SQLDataType.INTERVAL, "1 mon -1 days 02:03:04.5", "00:00:01"),
            key("jsonb", SQLDataType.JSONB, "{\"a\": [1.50, null]}", "\"text\""),
            key("public.mood", SQLDataType.CLOB, "sad", "quite ''happy''"),
            key("inet", other("inet"), "10.0.0.1/8", "::1"),
            key("cidr", other("cidr"), "10.0.0.0/8", "::1/128"),
            key("macaddr", other("macaddr"), "08:00:2b:01:02:03", "08:00:2b:01:02:04"),
            key("bit(3)", other("bit"), "101", "010"),
            key("varbit", other("varbit"), "101", ""),
            key("int4range", other("int4range"), "[1,3)", "empty"),
            key("money", other("money"), "1.25", "-2"),
            key("pg_lsn", other("pg_lsn"), "0/1", "A/0"),
            key(ODD_DOMAIN, SQLDataType.CLOB, "a", "b"),
            key("integer[]", SQLDataType.INTEGER.array(), "{1,2,NULL}", "{3}"),
            key("text[]", SQLDataType.CLOB.array(), "{}", "{\"a,b\",NULL}"))
        .map(key -> Named.of(key.type() + " as " + key.generated(), key));
  }

  private static Key key(String type, DataType<?> generated, String... values) {
    return new Key(type, generated, List.of(values));
  }

  /** Returns jOOQ's type for a column whose type it does not support. */
  private static DataType<?> other(String name) {
    return DefaultDataType.getDefaultDataType("\"pg_catalog\".\"%s\"".formatted(name));
  }

  @ParameterizedTest
  @MethodSource("keys")
  void rowsWithAKeyOfAnyTypeAreExtendedCompletedAndReleased(Key key, QueueDatabase database)
      throws SQLException {
    DSLContext db = DSL.using(database.dataSource(), SQLDialect.POSTGRES);
    create(db, key);
    Keyed table = new Keyed(key.generated());

    RowLease<Record> lease =
        SkipLocked.on(table)
            .orderBy(table.note)
            .lease(table.heldUntil, table.heldBy, LEASE)
            .claimUpTo(db, 2);
    assertThat(notes(lease)).containsExactly("note 0", "note 1");

    try (Session session = new Session(database)) {
      session.tx.execute("SET TIME ZONE 'Asia/Tokyo'");
      session.tx.execute("SET search_path = pg_catalog");
      RowLease<Record> extended = lease.extend(session.tx, LEASE);
      assertThat(notes(extended)).containsExactly("note 0", "note 1");
      extended
          .narrowTo(extended.rows().subList(0, 1))
          .complete(session.tx, update -> update.set(table.note, "done"));
      assertThat(lease.narrowTo(lease.rows().subList(1, 2)).release(session.tx)).isEqualTo(1);
      session.commit();
    }
    assertThat(db.fetchValues("SELECT note FROM public.keyed WHERE held_by IS NULL ORDER BY note"))
        .isEqualTo(List.of("done", "note 1"));
  }

  private static List<String> notes(RowLease<Record> lease) {
    return lease.rows().stream().map(row -> row.get("note", String.class)).toList();
  }

  private static void create(DSLContext db, Key key) {
    db.execute("DROP TABLE IF EXISTS public.keyed");
    db.execute("DROP TYPE IF EXISTS public.mood");
    db.execute("DROP DOMAIN IF EXISTS " + ODD_DOMAIN);
    db.execute("CREATE TYPE public.mood AS ENUM ('sad', 'quite ''happy''')");
    db.execute("CREATE DOMAIN " + ODD_DOMAIN + " AS text NOT NULL CHECK (VALUE <> '')");
    db.execute(
        "CREATE TABLE public.keyed (k %s PRIMARY KEY, note text, held_until timestamptz, held_by uuid)"
            .formatted(key.type()));
    for (int i = 0; i < key.values().size(); i++) {
      db.execute(
          "INSERT INTO public.keyed (k, note) VALUES (CAST('%s' AS %s), ?)"
              .formatted(key.values().get(i), key.type()),
          "note " + i);
    }
  }

  /** A table with a key of one column, in the form that jOOQ's generator produces. */
  private static final class Keyed extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    private final TableField<Record, ?> key;
    private final TableField<Record, String> note =
        createField(DSL.name("note"), SQLDataType.CLOB, this);
    private final TableField<Record, Instant> heldUntil =
        createField(DSL.name("held_until"), SQLDataType.INSTANT, this);
    private final TableField<Record, UUID> heldBy =
        createField(DSL.name("held_by"), SQLDataType.UUID, this);

    Keyed(DataType<?> type) {
      super(DSL.name("keyed"), DSL.schema(DSL.name("public")));
      key = createField(DSL.name("k"), type.nullable(false), this);
    }

    @Override
    public UniqueKey<Record> getPrimaryKey() {
      return Internal.createUniqueKey(this, DSL.name("keyed_pkey"), key);
    }
  }
}
