package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.DSLContext;

/**
 * Opens a wait for a signal, unless the execution has lost the job. Committed before the job looks
 * for the signal, so that a later sender finds the wait.
 *
 * <pre>{@code
 * INSERT INTO job_waits (job_id, address, name, ends_at)
 * SELECT id, :address, :name, clock_timestamp() + :micros FROM jobs WHERE id = :job_id AND current_execution_id = :execution_id
 *     ON CONFLICT (address, name, job_id) DO UPDATE SET name = excluded.name
 * RETURNING job_id
 * }</pre>
 *
 * <p>An open wait of the same name keeps its end. It is only there if another attempt has opened it
 * since this one read the memos of the job. Locks only its own row.
 */
final class WaitStatement {

  private WaitStatement() {}

  /**
   * A wait to open.
   *
   * @param micros its duration in microseconds
   */
  record Request(Execution execution, String address, String name, long micros) {}

  static Statement<Request, Long> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        insertInto(
                JOB_WAITS, JOB_WAITS.JOB_ID, JOB_WAITS.ADDRESS, JOB_WAITS.NAME, JOB_WAITS.ENDS_AT)
            .select(
                select(
                        JOBS.ID,
                        Texts.param("address"),
                        Texts.param("name"),
                        DatabaseClock.plusMicros(DatabaseClock.NOW, param("micros", Long.class)))
                    .from(JOBS)
                    .where(JOBS.ID.eq(param("job_id", Long.class)))
                    .and(JOBS.CURRENT_EXECUTION_ID.eq(param("execution_id", Long.class))))
            .onConflict(JOB_WAITS.ADDRESS, JOB_WAITS.NAME, JOB_WAITS.JOB_ID)
            .doUpdate()
            .set(JOB_WAITS.NAME, excluded(JOB_WAITS.NAME))
            .returningResult(JOB_WAITS.JOB_ID),
        request ->
            new Arguments()
                .number("job_id", request.execution().jobId().value())
                .number("execution_id", request.execution().id().value())
                .text("address", request.address())
                .text("name", request.name())
                .number("micros", request.micros()),
        row -> row.number(JOB_WAITS.JOB_ID));
  }
}
