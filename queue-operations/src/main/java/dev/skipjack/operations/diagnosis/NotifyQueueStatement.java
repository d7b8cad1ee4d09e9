package dev.skipjack.operations.diagnosis;

import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Reads how full the server's notification queue is, from 0 to 1: {@code SELECT
 * pg_notification_queue_usage()}. Locks nothing.
 */
final class NotifyQueueStatement {

  private static final Field<Double> USED =
      function("pg_notification_queue_usage", SQLDataType.DOUBLE).as("used");

  private NotifyQueueStatement() {}

  static Statement<NoRequest, Double> of(DSLContext dialect) {
    return Statement.of(dialect, select(USED), row -> row.real(USED));
  }
}
