package dev.skipjack.store.jooq.internal.diagnosis;

import static dev.skipjack.store.jooq.internal.diagnosis.Catalog.catalog;
import static dev.skipjack.store.jooq.internal.diagnosis.Catalog.column;
import static dev.skipjack.store.jooq.internal.diagnosis.Catalog.setting;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;

import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.NoRequest;
import dev.skipjack.store.jooq.internal.sql.Row;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Reads the state of the server that every role may see: {@code SELECT current_setting('fsync'),
 * ..., (SELECT sum(numbackends) FROM pg_stat_database), pg_notification_queue_usage(),
 * pg_backend_pid(), pg_is_in_recovery(), clock_timestamp()}. Locks nothing.
 */
final class ServerFactsStatement {

  private static final Field<String> FSYNC = setting("fsync").as("fsync");
  private static final Field<String> FULL_PAGE_WRITES =
      setting("full_page_writes").as("full_page_writes");
  private static final Field<String> SYNCHRONOUS_COMMIT =
      setting("synchronous_commit").as("synchronous_commit");
  private static final Field<Integer> MAXIMUM = number("max_connections");
  private static final Field<Integer> RESERVED = number("superuser_reserved_connections");
  private static final Field<Long> USED =
      field(
              select(
                      sum(column("databases", "numbackends", Integer.class))
                          .cast(SQLDataType.BIGINT))
                  .from(catalog("pg_stat_database", "databases")))
          .as("used");
  private static final Field<Double> NOTIFY_QUEUE =
      function("pg_notification_queue_usage", SQLDataType.DOUBLE).as("notify_queue");
  private static final Field<Integer> PROCESS =
      function("pg_backend_pid", SQLDataType.INTEGER).as("process");
  private static final Field<Boolean> STANDBY =
      function("pg_is_in_recovery", SQLDataType.BOOLEAN).as("standby");

  private ServerFactsStatement() {}

  /**
   * The state of the server.
   *
   * @param used the number of connections, those of background processes excluded
   * @param notifyQueue how full the queue of notifications is, from 0 to 1
   * @param process the server process that ran the statement
   */
  record Facts(
      String fsync,
      String fullPageWrites,
      String synchronousCommit,
      int maximum,
      int reserved,
      long used,
      double notifyQueue,
      int process,
      boolean standby,
      Instant now) {}

  private static Field<Integer> number(String setting) {
    return cast(setting(setting), SQLDataType.INTEGER).as(setting);
  }

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(
            FSYNC,
            FULL_PAGE_WRITES,
            SYNCHRONOUS_COMMIT,
            MAXIMUM,
            RESERVED,
            USED,
            NOTIFY_QUEUE,
            PROCESS,
            STANDBY,
            DatabaseClock.NOW),
        ServerFactsStatement::read);
  }

  private static Facts read(Row row) throws SQLException {
    return new Facts(
        row.text(FSYNC),
        row.text(FULL_PAGE_WRITES),
        row.text(SYNCHRONOUS_COMMIT),
        row.integer(MAXIMUM),
        row.integer(RESERVED),
        row.number(USED),
        row.real(NOTIFY_QUEUE),
        row.integer(PROCESS),
        row.flag(STANDBY),
        row.instant(DatabaseClock.NOW));
  }
}
