package dev.skipjack.operations.diagnosis;

import static dev.skipjack.operations.diagnosis.Catalog.catalog;
import static dev.skipjack.operations.diagnosis.Catalog.column;
import static dev.skipjack.operations.diagnosis.Catalog.setting;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Counts the connections: {@code SELECT current_setting('max_connections'),
 * current_setting('superuser_reserved_connections'), coalesce(current_setting(
 * 'reserved_connections', true), '0'), (SELECT sum(numbackends) FROM pg_stat_database)}. PostgreSQL
 * 16 introduced the setting {@code reserved_connections}. Locks nothing.
 */
final class ConnectionFactsStatement {

  private static final Field<Integer> MAXIMUM =
      cast(setting("max_connections"), SQLDataType.INTEGER).as("maximum");
  private static final Field<Integer> FOR_SUPERUSERS =
      cast(setting("superuser_reserved_connections"), SQLDataType.INTEGER).as("for_superusers");
  private static final Field<Integer> FOR_OTHERS =
      cast(
              coalesce(
                  function(
                      "current_setting",
                      SQLDataType.CLOB,
                      inline("reserved_connections"),
                      inline(true)),
                  inline("0")),
              SQLDataType.INTEGER)
          .as("for_others");
  private static final Field<Long> USED =
      field(
              select(
                      sum(column("databases", "numbackends", Integer.class))
                          .cast(SQLDataType.BIGINT))
                  .from(catalog("pg_stat_database", "databases")))
          .as("used");

  private ConnectionFactsStatement() {}

  /**
   * The limits on connections, and how many are used.
   *
   * @param reserved the connections that only superusers and members of {@code
   *     pg_use_reserved_connections} can use
   * @param used the number of server processes that are connected to a database
   */
  record Facts(int maximum, int reserved, long used) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(MAXIMUM, FOR_SUPERUSERS, FOR_OTHERS, USED),
        row ->
            new Facts(
                row.integer(MAXIMUM),
                row.integer(FOR_SUPERUSERS) + row.integer(FOR_OTHERS),
                row.number(USED)));
  }
}
