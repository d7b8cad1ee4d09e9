package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static dev.skipjack.operations.diagnosis.Catalog.catalog;
import static dev.skipjack.operations.diagnosis.Catalog.column;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Lists the partitions of the audit, the archive and the used tables of extensions.
 *
 * <pre>{@code
 * SELECT child.relname, inhdetachpending
 *   FROM pg_class AS parent JOIN pg_namespace ... JOIN pg_inherits ... JOIN pg_class AS child ...
 *  WHERE nspname = '<schema>' AND parent.relname IN ('job_executions', 'jobs_archive', ...) ORDER BY relname
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class PartitionFactsStatement {

  private static final Field<String> NAME =
      cast(column("child", "relname", String.class), SQLDataType.CLOB).as("partition");
  private static final Field<Boolean> PENDING =
      column("inherits", "inhdetachpending", Boolean.class);

  private PartitionFactsStatement() {}

  /**
   * A partition.
   *
   * @param detachPending whether a concurrent detach of the partition was interrupted
   */
  record Facts(String name, boolean detachPending) {}

  /**
   * @param schema the queue's schema as it is named in the catalog
   * @param more the used tables of extensions
   */
  static Statement<NoRequest, Facts> of(DSLContext dialect, String schema, List<String> more) {
    Field<Long> parent = column("parent", "oid", Long.class);
    return Statement.of(
        dialect,
        select(NAME, PENDING)
            .from(catalog("pg_class", "parent"))
            .join(catalog("pg_namespace", "namespace"))
            .on(
                column("namespace", "oid", Long.class)
                    .eq(column("parent", "relnamespace", Long.class)))
            .join(catalog("pg_inherits", "inherits"))
            .on(column("inherits", "inhparent", Long.class).eq(parent))
            .join(catalog("pg_class", "child"))
            .on(column("child", "oid", Long.class).eq(column("inherits", "inhrelid", Long.class)))
            .where(column("namespace", "nspname", String.class).eq(inline(schema)))
            .and(
                column("parent", "relname", String.class)
                    .in(
                        Stream.concat(
                                Stream.of(JOB_EXECUTIONS.getName(), JOBS_ARCHIVE.getName()),
                                more.stream())
                            .map(DSL::inline)
                            .toList()))
            .and(column("child", "relkind", String.class).eq(inline("r")))
            .orderBy(NAME),
        row -> new Facts(row.text(NAME), row.flag(PENDING)));
  }
}
