package dev.skipjack.operations.diagnosis;

import static dev.skipjack.operations.diagnosis.Catalog.catalog;
import static dev.skipjack.operations.diagnosis.Catalog.column;
import static dev.skipjack.operations.diagnosis.Catalog.currentDatabase;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.left;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Finds what prevents vacuum from removing dead rows: open transactions, prepared transactions and
 * replication slots, oldest snapshot first.
 *
 * <pre>{@code
 * SELECT 'session', pid::text, usename::text, greatest(age(backend_xid), age(backend_xmin)), xact_start, left(query, 100), now() FROM pg_stat_activity
 *  WHERE pid <> pg_backend_pid() AND query NOT LIKE 'autovacuum: VACUUM%' AND query NOT ILIKE 'vacuum%'
 *    AND (((datname = current_database() OR datname IS NULL) AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL))
 *         OR (datname = current_database() AND query = '<insufficient privilege>'))
 * UNION ALL SELECT 'prepared', gid, owner::text, age(transaction), prepared, NULL, now() FROM pg_prepared_xacts WHERE database = current_database()
 * UNION ALL SELECT 'slot', slot_name::text, NULL, age(xmin), NULL, NULL, now() FROM pg_replication_slots WHERE xmin IS NOT NULL
 *  ORDER BY 4 DESC NULLS LAST LIMIT 1000
 * }</pre>
 *
 * <p>An idle transaction that wrote under READ COMMITTED has no snapshot, but its transaction id
 * has the same effect. The session that receives a standby's feedback has no database. Vacuum
 * ignores the snapshots of other vacuums.
 *
 * <p>A role without {@code pg_read_all_stats} can see the sessions of other roles but not their
 * transactions, so the age in these rows is null. Locks nothing.
 */
final class HorizonStatement {

  /** The text that PostgreSQL shows instead of a query that the role may not read. */
  private static final String HIDDEN = "<insufficient privilege>";

  private static final int MOST = 1_000;
  private static final int LONGEST_QUERY = 100;

  private static final Field<String> WHAT = field(name("what"), String.class);
  private static final Field<String> ID = field(name("id"), String.class);
  private static final Field<String> OWNER = field(name("owner"), String.class);
  private static final Field<Integer> AGE = field(name("xmin_age"), Integer.class);
  private static final Field<Instant> SINCE = field(name("since"), SQLDataType.INSTANT);
  private static final Field<String> QUERY = field(name("query"), String.class);
  private static final Field<Instant> NOW = field(name("now"), SQLDataType.INSTANT);

  private HorizonStatement() {}

  /**
   * A transaction or replication slot that prevents vacuum from removing dead rows.
   *
   * @param what the type of the holder: session, prepared or slot
   * @param age the number of transactions since its snapshot; null if the role may not read this
   * @param since when it began; null if unknown
   */
  record Holder(
      String what,
      String id,
      @Nullable String owner,
      @Nullable Integer age,
      @Nullable Instant since,
      @Nullable String query,
      Instant now) {}

  static Statement<NoRequest, Holder> of(DSLContext dialect) {
    Field<Object> xid = column("activity", "backend_xid", Object.class);
    Field<String> database = text("activity", "datname");
    Field<Object> xmin = column("activity", "backend_xmin", Object.class);
    Field<String> query = column("activity", "query", String.class);
    Field<Integer> pid = column("activity", "pid", Integer.class);
    Field<Object> slotXmin = column("slots", "xmin", Object.class);
    return Statement.of(
        dialect,
        select(
                inline("session").as(WHAT),
                cast(pid, SQLDataType.CLOB).as(ID),
                text("activity", "usename").as(OWNER),
                greatest(age(xid), age(xmin)).as(AGE),
                column("activity", "xact_start", Instant.class)
                    .coerce(SQLDataType.INSTANT)
                    .as(SINCE),
                left(query, inline(LONGEST_QUERY)).as(QUERY),
                DatabaseClock.TRANSACTION_START.as(NOW))
            .from(catalog("pg_stat_activity", "activity"))
            .where(pid.ne(function("pg_backend_pid", SQLDataType.INTEGER)))
            .and(query.notLike(inline("autovacuum: VACUUM%")))
            .and(query.notLikeIgnoreCase(inline("vacuum%")))
            .and(
                database
                    .eq(currentDatabase())
                    .or(database.isNull())
                    .and(xid.isNotNull().or(xmin.isNotNull()))
                    .or(database.eq(currentDatabase()).and(query.eq(inline(HIDDEN)))))
            .unionAll(
                select(
                        inline("prepared"),
                        text("prepared", "gid"),
                        text("prepared", "owner"),
                        age(column("prepared", "transaction", Object.class)),
                        column("prepared", "prepared", Instant.class).coerce(SQLDataType.INSTANT),
                        castNull(SQLDataType.CLOB),
                        DatabaseClock.TRANSACTION_START)
                    .from(catalog("pg_prepared_xacts", "prepared"))
                    .where(text("prepared", "database").eq(currentDatabase())))
            .unionAll(
                select(
                        inline("slot"),
                        text("slots", "slot_name"),
                        castNull(SQLDataType.CLOB),
                        age(slotXmin),
                        castNull(SQLDataType.INSTANT),
                        castNull(SQLDataType.CLOB),
                        DatabaseClock.TRANSACTION_START)
                    .from(catalog("pg_replication_slots", "slots"))
                    .where(slotXmin.isNotNull()))
            .orderBy(inline(4).desc().nullsLast())
            .limit(inline(MOST)),
        HorizonStatement::read);
  }

  private static Field<String> text(String alias, String column) {
    return cast(column(alias, column, String.class), SQLDataType.CLOB);
  }

  private static Field<Integer> age(Field<?> xid) {
    return function("age", SQLDataType.INTEGER, xid);
  }

  private static Holder read(Row row) throws SQLException {
    return new Holder(
        row.text(WHAT),
        row.text(ID),
        row.textOrNull(OWNER),
        row.integerOrNull(AGE),
        row.instantOrNull(SINCE),
        row.textOrNull(QUERY),
        row.instant(NOW));
  }
}
