package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Reads the clock of the database and the names of the attached partitions, so that maintenance
 * creates only those that are missing.
 *
 * <pre>{@code
 * SELECT clock_timestamp(),
 *        ARRAY(SELECT child.relname
 *                FROM pg_class AS parent
 *                JOIN pg_inherits ON inhparent = parent.oid
 *                JOIN pg_class AS child ON child.oid = inhrelid AND child.relnamespace = parent.relnamespace
 *               WHERE parent.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'jobs'::regclass)
 *                 AND parent.relname = ANY (:parents) AND NOT inhdetachpending)
 * }</pre>
 *
 * <p>Reads only the catalog, which every role may do, and locks nothing. If another table has the
 * name of a partition, the partition counts as missing: {@code create_partition} then fails with
 * the reason.
 */
final class PresentPartitionsStatement {

  private static final Param<String[]> PARENTS = Texts.array("parents");
  private static final Field<String[]> NAMES = field(name("partitions"), String[].class);

  private PresentPartitionsStatement() {}

  /**
   * The partitions at the time of the statement.
   *
   * @param now the time by the database's clock
   * @param names the names of the attached partitions
   */
  record Present(Instant now, Set<String> names) {

    Present {
      names = Set.copyOf(names);
    }

    boolean contains(Partition partition) {
      return names.contains(partition.name());
    }
  }

  /** Creates the statement. It returns one row. */
  static Statement<List<PartitionedTable>, Present> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(DatabaseClock.NOW, names(dialect).as(NAMES)),
        tables -> new Arguments().texts("parents", tables, PartitionedTable::name),
        PresentPartitionsStatement::read);
  }

  private static Field<String[]> names(DSLContext dialect) {
    Field<Long> schema = column("parent", "relnamespace", Long.class);
    Field<Long> anchor =
        field("cast({0} as pg_catalog.regclass)", Long.class, inline(dialect.render(JOBS)));
    return array(
        select(cast(column("child", "relname", String.class), SQLDataType.CLOB))
            .from(catalog("pg_class", "parent"))
            .join(catalog("pg_inherits", "inherits"))
            .on(column("inherits", "inhparent", Long.class).eq(oid("parent")))
            .join(catalog("pg_class", "child"))
            .on(oid("child").eq(column("inherits", "inhrelid", Long.class)))
            .and(column("child", "relnamespace", Long.class).eq(schema))
            .where(
                schema.eq(
                    select(column("anchor", "relnamespace", Long.class))
                        .from(catalog("pg_class", "anchor"))
                        .where(oid("anchor").eq(anchor))))
            .and(column("parent", "relname", String.class).eq(any(PARENTS)))
            .and(not(column("inherits", "inhdetachpending", Boolean.class))));
  }

  private static Table<?> catalog(String table, String alias) {
    return table(name("pg_catalog", table)).as(alias);
  }

  private static Field<Long> oid(String table) {
    return column(table, "oid", Long.class);
  }

  private static <T> Field<T> column(String table, String column, Class<T> type) {
    return field(name(table, column), type);
  }

  private static Present read(Row row) throws SQLException {
    return new Present(row.instant(DatabaseClock.NOW), Set.copyOf(row.texts(NAMES)));
  }
}
