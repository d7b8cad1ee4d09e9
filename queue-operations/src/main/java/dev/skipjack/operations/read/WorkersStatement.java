package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectFrom;

import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Table;

/**
 * Lists the workers with the latest heartbeats: {@code SELECT ... FROM (SELECT ... FROM job_workers
 * ORDER BY seen_at DESC LIMIT 1000) AS seen ORDER BY name, started_at, boot_id}. Locks nothing.
 */
final class WorkersStatement {

  private static final Field<Instant> NOW = DatabaseClock.TRANSACTION_START.as("now");

  private WorkersStatement() {}

  static Statement<NoRequest, WorkerInfo> of(DSLContext dialect) {
    return Statement.of(dialect, query(), WorkersStatement::read);
  }

  private static ResultQuery<?> query() {
    Table<?> seen =
        select(
                JOB_WORKERS.NAME,
                JOB_WORKERS.BOOT_ID,
                JOB_WORKERS.HOST,
                JOB_WORKERS.PID,
                JOB_WORKERS.QUEUES,
                JOB_WORKERS.KINDS,
                JOB_WORKERS.SETTINGS,
                JOB_WORKERS.STARTED_AT,
                JOB_WORKERS.SEEN_AT,
                NOW)
            .from(JOB_WORKERS)
            .orderBy(JOB_WORKERS.SEEN_AT.desc())
            .limit(inline(ReadBounds.WORKERS))
            .asTable("seen");
    return selectFrom(seen)
        .orderBy(
            field(name("seen", "name")),
            field(name("seen", "started_at")),
            field(name("seen", "boot_id")));
  }

  /**
   * Returns the time since a worker was seen, or zero if it was seen shortly after this transaction
   * began.
   */
  private static Duration silence(Instant seenAt, Instant now) {
    Duration silence = Duration.between(seenAt, now);
    return silence.isNegative() && silence.abs().compareTo(WorkerInfo.SILENCE) < 0
        ? Duration.ZERO
        : silence;
  }

  private static WorkerInfo read(Row row) throws SQLException {
    Instant seenAt = row.instant(JOB_WORKERS.SEEN_AT);
    return new WorkerInfo(
        row.text(JOB_WORKERS.NAME),
        row.uuid(JOB_WORKERS.BOOT_ID),
        row.textOrNull(JOB_WORKERS.HOST),
        row.numberOrNull(JOB_WORKERS.PID),
        row.texts(JOB_WORKERS.QUEUES),
        row.texts(JOB_WORKERS.KINDS),
        row.textOrNull(JOB_WORKERS.SETTINGS),
        row.instant(JOB_WORKERS.STARTED_AT),
        seenAt,
        silence(seenAt, row.instant(NOW)));
  }
}
