package dev.skipjack.store.jooq.internal.history;

import static org.jooq.impl.DSL.arrayAgg;
import static org.jooq.impl.DSL.arrayGet;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.concat;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.when;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.history.FoundPartition.State;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tables that are partitions of one parent, or were until Skipjack detached them.
 *
 * <pre>{@code
 * SELECT child.relname, <attached, pending or detached>, <whether it has the mark>, <its bounds in UTC>
 *   FROM pg_class AS parent JOIN pg_namespace ...
 *   JOIN pg_class AS child ON child.relnamespace = parent.relnamespace AND child.relowner = parent.relowner
 *   LEFT JOIN pg_inherits ON inhrelid = child.oid
 *  WHERE nspname = '<schema>' AND parent.relname = :parent AND <the columns are the parent's>
 *    AND (inhparent = parent.oid OR inhrelid IS NULL AND <marked>)
 * }</pre>
 *
 * <p>A table that is found here may be dropped later, so its schema, owner, name and columns must
 * match. A partition must also have the expected bounds. A detached table must have the mark that
 * Skipjack sets before it detaches a partition. A table that an operator detached in order to keep
 * it has no mark.
 */
final class FindPartitionsStatement {

  /** The comment on a table that is being removed. */
  static final String MARK = "Skipjack removes this table: its retention is over.";

  private static final DateTimeFormatter BOUND =
      DateTimeFormatter.ofPattern("uuuuMMdd HHmmss.SSSSSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final Field<String> PARENT = Texts.param("parent");

  private static final Field<String> NAME = column("child", "relname", String.class);
  private static final Field<String> STATE = field(name("state"), String.class);
  private static final Field<Boolean> MARKED = field(name("marked"), Boolean.class);
  private static final Field<String> LOWER = field(name("lower"), String.class);
  private static final Field<String> UPPER = field(name("upper"), String.class);

  private FindPartitionsStatement() {}

  /**
   * A table that may be a partition of the requested one.
   *
   * @param lower its lower bound in UTC, or null if it has none or one that Skipjack did not set
   * @param upper its upper bound in UTC, or null as for {@code lower}
   */
  record Candidate(
      String name, State state, boolean marked, @Nullable String lower, @Nullable String upper) {

    /**
     * Returns the table as a partition of {@code table}, or empty if its name or bounds do not
     * match.
     */
    Optional<FoundPartition> of(PartitionedTable table) {
      return table
          .named(name)
          .filter(
              partition ->
                  state == State.DETACHED
                      || (BOUND.format(partition.start()).equals(lower)
                          && BOUND.format(partition.end()).equals(upper)))
          .map(partition -> new FoundPartition(partition, state, marked));
    }
  }

  /**
   * @param schema the queue's schema as it is named in the catalog
   */
  static Statement<PartitionedTable, Candidate> of(DSLContext dialect, String schema) {
    return Statement.of(
        dialect,
        query(schema),
        table -> new Arguments().text("parent", table.name()),
        FindPartitionsStatement::read);
  }

  private static ResultQuery<?> query(String schema) {
    Field<Long> inherited = column("inherits", "inhrelid", Long.class);
    Field<Boolean> pending = column("inherits", "inhdetachpending", Boolean.class);
    Condition marked =
        function(
                "obj_description",
                String.class,
                column("child", "oid", Long.class),
                inline("pg_class"))
            .isNotDistinctFrom(inline(MARK));
    return select(
            NAME,
            when(inherited.isNull(), inline(literal(State.DETACHED)))
                .when(pending, inline(literal(State.PENDING)))
                .otherwise(inline(literal(State.ATTACHED)))
                .as(STATE),
            field(marked).as(MARKED),
            bound(1).as(LOWER),
            bound(2).as(UPPER))
        .from(catalog("pg_class", "parent"))
        .join(catalog("pg_namespace", "namespace"))
        .on(column("namespace", "oid", Long.class).eq(column("parent", "relnamespace", Long.class)))
        .join(catalog("pg_class", "child"))
        .on(
            column("child", "relnamespace", Long.class)
                .eq(column("parent", "relnamespace", Long.class)))
        .and(column("child", "relowner", Long.class).eq(column("parent", "relowner", Long.class)))
        .leftJoin(catalog("pg_inherits", "inherits"))
        .on(inherited.eq(column("child", "oid", Long.class)))
        .where(column("namespace", "nspname", String.class).eq(inline(schema)))
        .and(column("parent", "relname", String.class).eq(PARENT))
        .and(column("parent", "relkind", String.class).eq(inline("p")))
        .and(column("child", "relkind", String.class).eq(inline("r")))
        .and(
            column("inherits", "inhparent", Long.class)
                .eq(column("parent", "oid", Long.class))
                .or(inherited.isNull().and(marked)))
        .and(columnsOf("child").eq(columnsOf("parent")))
        .orderBy(NAME);
  }

  private static Table<?> catalog(String table, String alias) {
    return table(name("pg_catalog", table)).as(alias);
  }

  private static <T> Field<T> column(String table, String column, Class<T> type) {
    return field(name(table, column), type);
  }

  /** Returns the names and types of the columns in their order. */
  private static Field<String[]> columnsOf(String table) {
    Field<Long> type = column("attribute", "atttypid", Long.class);
    Field<Integer> modifier = column("attribute", "atttypmod", Integer.class);
    return field(
        select(
                arrayAgg(
                        concat(
                            cast(column("attribute", "attname", String.class), SQLDataType.CLOB),
                            inline(" "),
                            function("format_type", String.class, type, modifier)))
                    .orderBy(column("attribute", "attnum", Short.class)))
            .from(catalog("pg_attribute", "attribute"))
            .where(column("attribute", "attrelid", Long.class).eq(column(table, "oid", Long.class)))
            .and(column("attribute", "attnum", Short.class).gt(inline((short) 0)))
            .and(not(column("attribute", "attisdropped", Boolean.class))));
  }

  /**
   * Returns one bound in UTC, or NULL for a bound that Skipjack never sets, such as MINVALUE. The
   * catalog's text is in the session's time zone and is parsed in the same zone.
   */
  private static Field<String> bound(int which) {
    Field<String> text =
        function(
            "pg_get_expr",
            String.class,
            column("child", "relpartbound", Object.class),
            column("child", "oid", Long.class));
    Field<String[]> bounds =
        function(
            "regexp_match",
            String[].class,
            text,
            inline("^FOR VALUES FROM \\('([^']+)'\\) TO \\('([^']+)'\\)$"));
    Field<Instant> instant = cast(arrayGet(bounds, inline(which)), SQLDataType.INSTANT);
    return function(
        "to_char",
        String.class,
        function("timezone", Object.class, inline("UTC"), instant),
        inline("YYYYMMDD HH24MISS.US"));
  }

  private static String literal(State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  private static Candidate read(Row row) throws SQLException {
    return new Candidate(
        row.text(NAME),
        State.valueOf(row.text(STATE).toUpperCase(Locale.ROOT)),
        row.flag(MARKED),
        row.textOrNull(LOWER),
        row.textOrNull(UPPER));
  }
}
