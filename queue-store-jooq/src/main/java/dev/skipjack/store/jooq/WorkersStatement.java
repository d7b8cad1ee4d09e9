package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectFrom;

import dev.skipjack.api.WorkerInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import org.jooq.ResultQuery;
import org.jooq.Table;

/**
 * The workers that were seen last: {@code SELECT ... FROM (SELECT ... FROM job_workers ORDER BY
 * seen_at DESC LIMIT 1000) AS seen ORDER BY name, started_at, boot_id}. Locks nothing.
 */
final class WorkersStatement {

  private WorkersStatement() {}

  static ResultQuery<?> query() {
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
                JOB_WORKERS.SEEN_AT)
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

  static WorkerInfo read(ResultSet row) throws SQLException {
    return new WorkerInfo(
        row.getString(1),
        Objects.requireNonNull(row.getObject(2, UUID.class)),
        row.getString(3),
        Columns.bigint(row, 4),
        Columns.texts(row, 5),
        Columns.texts(row, 6),
        row.getString(7),
        Columns.requireInstant(row, 8),
        Columns.requireInstant(row, 9));
  }
}
