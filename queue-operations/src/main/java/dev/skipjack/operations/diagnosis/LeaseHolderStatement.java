package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.jsonbGetAttributeAsText;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.sql.WorkerIdentity;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * Reads the row of the worker that holds a lease.
 *
 * <pre>{@code
 * SELECT host, pid, seen_at, settings ->> 'lease' AS lease FROM job_workers WHERE name || '/' || left(boot_id::text, 8) = :worker
 *  ORDER BY seen_at DESC LIMIT 1
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class LeaseHolderStatement {

  private static final Field<String> LEASE =
      jsonbGetAttributeAsText(JOB_WORKERS.SETTINGS, inline("lease")).as("lease");

  private LeaseHolderStatement() {}

  /**
   * The worker that holds the lease.
   *
   * @param lease the length of its leases; null if unknown
   */
  record Facts(
      @Nullable String host, @Nullable Long pid, Instant seenAt, @Nullable Duration lease) {}

  static Statement<String, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOB_WORKERS.HOST, JOB_WORKERS.PID, JOB_WORKERS.SEEN_AT, LEASE)
            .from(JOB_WORKERS)
            .where(WorkerIdentity.OF_ROW.eq(Texts.param("worker")))
            .orderBy(JOB_WORKERS.SEEN_AT.desc())
            .limit(inline(1)),
        worker -> new Arguments().text("worker", worker),
        LeaseHolderStatement::read);
  }

  private static Facts read(Row row) throws SQLException {
    return new Facts(
        row.textOrNull(JOB_WORKERS.HOST),
        row.numberOrNull(JOB_WORKERS.PID),
        row.instant(JOB_WORKERS.SEEN_AT),
        duration(row.textOrNull(LEASE)));
  }

  private static @Nullable Duration duration(@Nullable String text) {
    try {
      return text == null ? null : Duration.parse(text);
    } catch (DateTimeParseException writtenByAnotherProgram) {
      return null;
    }
  }
}
