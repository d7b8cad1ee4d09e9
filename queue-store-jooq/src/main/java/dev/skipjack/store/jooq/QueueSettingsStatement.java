package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.QueueState;
import dev.skipjack.store.jooq.internal.sql.PausePredicates;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * The settings of queues: {@code SELECT ... FROM job_queues ORDER BY queue}. People write these
 * rows one by one, so all are read. An interval may count in months, which are no duration:
 * PostgreSQL makes seconds of it, a month being 30 days. Locks nothing.
 */
final class QueueSettingsStatement {

  private QueueSettingsStatement() {}

  static ResultQuery<?> query() {
    return select(
            JOB_QUEUES.QUEUE,
            whilePaused(JOB_QUEUES.PAUSED_AT),
            whilePaused(JOB_QUEUES.PAUSED_UNTIL),
            JOB_QUEUES.MAX_RUNNING,
            seconds(JOB_QUEUES.ARCHIVE_RETENTION),
            seconds(JOB_QUEUES.DEAD_RETENTION),
            JOB_QUEUES.DEFAULT_PRIORITY,
            JOB_QUEUES.DEFAULT_MAX_ATTEMPTS,
            JOB_QUEUES.UPDATED_AT)
        .from(JOB_QUEUES)
        .orderBy(JOB_QUEUES.QUEUE);
  }

  /** A pause that has ended by itself stays in its row until the next pause, and is not shown. */
  private static Field<Instant> whilePaused(Field<Instant> instant) {
    return when(PausePredicates.PAUSED, instant);
  }

  /** Rounded up: a retention of half a second is not "none". */
  private static Field<Long> seconds(Field<?> interval) {
    return field("ceil(extract(epoch from {0}))::bigint", SQLDataType.BIGINT, interval);
  }

  static QueueState read(ResultSet row) throws SQLException {
    return new QueueState(
        row.getString(1),
        Columns.instant(row, 2),
        Columns.instant(row, 3),
        Columns.integer(row, 4),
        Columns.seconds(row, 5),
        Columns.seconds(row, 6),
        Columns.integer(row, 7),
        Columns.integer(row, 8),
        Columns.requireInstant(row, 9));
  }
}
