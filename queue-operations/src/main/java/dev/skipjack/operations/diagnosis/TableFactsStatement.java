package dev.skipjack.operations.diagnosis;

import static dev.skipjack.operations.diagnosis.Catalog.catalog;
import static dev.skipjack.operations.diagnosis.Catalog.column;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Reads the statistics and the sizes of the queue's tables and partitions.
 *
 * <pre>{@code
 * SELECT tables.relname, n_live_tup, n_dead_tup, reltuples, pg_indexes_size(relid)
 *   FROM pg_stat_all_tables AS tables JOIN pg_class AS classes ON classes.oid = relid
 *  WHERE schemaname = '<schema>' ORDER BY n_dead_tup DESC, tables.relname LIMIT 1000
 * }</pre>
 *
 * <p>A reset of the statistics sets {@code n_live_tup} and {@code n_dead_tup} to 0. It does not
 * change {@code reltuples}, the number of rows that the last vacuum or analyze counted. Locks
 * nothing.
 */
final class TableFactsStatement {

  private static final int MOST = 1_000;

  private static final Field<String> TABLE =
      cast(column("tables", "relname", String.class), SQLDataType.CLOB).as("relation");
  private static final Field<Long> LIVE = column("tables", "n_live_tup", Long.class);
  private static final Field<Long> DEAD = column("tables", "n_dead_tup", Long.class);
  private static final Field<Long> ANALYZED =
      cast(column("classes", "reltuples", Float.class), SQLDataType.BIGINT).as("analyzed_rows");
  private static final Field<Long> INDEX_BYTES =
      function("pg_indexes_size", SQLDataType.BIGINT, column("tables", "relid", Object.class))
          .as("index_bytes");

  private TableFactsStatement() {}

  /**
   * A table, with the numbers of rows that the statistics estimate.
   *
   * @param analyzedRows the number of rows when the table was last vacuumed or analyzed; negative
   *     if it never was
   */
  record Facts(String table, long liveRows, long deadRows, long analyzedRows, long indexBytes) {}

  /**
   * @param schema the queue's schema as it is named in the catalog
   */
  static Statement<NoRequest, Facts> of(DSLContext dialect, String schema) {
    return Statement.of(
        dialect,
        select(TABLE, LIVE, DEAD, ANALYZED, INDEX_BYTES)
            .from(catalog("pg_stat_all_tables", "tables"))
            .join(catalog("pg_class", "classes"))
            .on(column("classes", "oid", Object.class).eq(column("tables", "relid", Object.class)))
            .where(column("tables", "schemaname", String.class).eq(inline(schema)))
            .orderBy(DEAD.desc(), column("tables", "relname", String.class))
            .limit(inline(MOST)),
        TableFactsStatement::read);
  }

  private static Facts read(Row row) throws SQLException {
    Long indexBytes = row.numberOrNull(INDEX_BYTES);
    return new Facts(
        row.text(TABLE),
        row.number(LIVE),
        row.number(DEAD),
        row.number(ANALYZED),
        // A table that has been dropped in the meantime has no size.
        indexBytes == null ? 0 : indexBytes);
  }
}
