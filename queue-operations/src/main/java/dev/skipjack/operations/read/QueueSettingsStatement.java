package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.operations.QueueState;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists the settings of queues: {@code SELECT ... FROM job_queues ORDER BY queue}. Operators write
 * these rows one by one, so there are only a few, and all of them are read. An interval may contain
 * months, which have no fixed duration, so PostgreSQL converts it to seconds and counts a month as
 * 30 days. Locks nothing.
 */
final class QueueSettingsStatement {

  private static final Field<Instant> PAUSED_AT = whilePaused(JOB_QUEUES.PAUSED_AT);
  private static final Field<Instant> PAUSED_UNTIL = whilePaused(JOB_QUEUES.PAUSED_UNTIL);
  private static final Field<String> PAUSED_BY = whilePaused(JOB_QUEUES.PAUSED_BY);
  private static final Field<String> PAUSE_REASON = whilePaused(JOB_QUEUES.PAUSE_REASON);
  private static final Field<Long> ARCHIVE_RETENTION = seconds(JOB_QUEUES.ARCHIVE_RETENTION);
  private static final Field<Long> DEAD_RETENTION = seconds(JOB_QUEUES.DEAD_RETENTION);

  private QueueSettingsStatement() {}

  static Statement<NoRequest, QueueState> of(DSLContext dialect) {
    return Statement.of(dialect, query(), QueueSettingsStatement::read);
  }

  private static ResultQuery<?> query() {
    return select(
            JOB_QUEUES.QUEUE,
            PAUSED_AT,
            PAUSED_UNTIL,
            PAUSED_BY,
            PAUSE_REASON,
            JOB_QUEUES.LIMIT_NAME,
            JOB_QUEUES.FAIR,
            ARCHIVE_RETENTION,
            DEAD_RETENTION,
            JOB_QUEUES.DEFAULT_PRIORITY,
            JOB_QUEUES.DEFAULT_MAX_ATTEMPTS,
            JOB_QUEUES.UPDATED_AT)
        .from(JOB_QUEUES)
        .orderBy(JOB_QUEUES.QUEUE);
  }

  /**
   * Returns the column, or NULL if the pause has expired. An expired pause remains in the row until
   * the queue is paused again or resumed.
   */
  private static <V> Field<V> whilePaused(Field<V> column) {
    return when(PausePredicates.PAUSED, column);
  }

  /**
   * Returns an interval in seconds, rounded up so that a retention of half a second does not become
   * none.
   */
  private static Field<Long> seconds(Field<?> interval) {
    return field("ceil(extract(epoch from {0}))::bigint", SQLDataType.BIGINT, interval);
  }

  private static QueueState read(Row row) throws SQLException {
    return new QueueState(
        row.text(JOB_QUEUES.QUEUE),
        row.instantOrNull(PAUSED_AT),
        row.instantOrNull(PAUSED_UNTIL),
        row.textOrNull(PAUSED_BY),
        row.textOrNull(PAUSE_REASON),
        row.textOrNull(JOB_QUEUES.LIMIT_NAME),
        row.flag(JOB_QUEUES.FAIR),
        duration(row.numberOrNull(ARCHIVE_RETENTION)),
        duration(row.numberOrNull(DEAD_RETENTION)),
        row.integerOrNull(JOB_QUEUES.DEFAULT_PRIORITY),
        row.integerOrNull(JOB_QUEUES.DEFAULT_MAX_ATTEMPTS),
        row.instant(JOB_QUEUES.UPDATED_AT));
  }

  private static @Nullable Duration duration(@Nullable Long seconds) {
    return seconds == null ? null : Duration.ofSeconds(seconds);
  }
}
