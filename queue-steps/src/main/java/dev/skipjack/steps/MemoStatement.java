package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_STEPS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Records a memo, unless the execution has lost the job or the name is recorded.
 *
 * <pre>{@code
 * INSERT INTO job_steps (job_id, execution_id, position, type, name, result, undo_kind, ...)
 * SELECT id, current_execution_id, :position, :type, :name, :result, :undo_kind, ...
 *   FROM jobs WHERE id = :job_id AND current_execution_id = :execution_id
 *     ON CONFLICT (job_id, name) DO UPDATE SET execution_id = excluded.execution_id, ... WHERE job_steps.type = 'undone'
 * RETURNING result
 * }</pre>
 *
 * <p>Locks nothing but its own row: the primary key alone ensures that a memo is recorded once,
 * even if an execution that is about to lose the job and its successor record the same name. The
 * second one waits for the first, and returns no row.
 */
final class MemoStatement {

  private MemoStatement() {}

  /**
   * A memo to record.
   *
   * @param result the result as JSON; null for none
   * @param micros for a sleep, its duration, from which the database computes the result
   * @param undo the job that undoes the step; null for none
   */
  record Request(
      Execution execution,
      int position,
      Memo.Type type,
      String name,
      @Nullable String result,
      @Nullable Long micros,
      @Nullable NewJob undo) {}

  /** Creates the statement for a memo with a result. It returns its result as JSON. */
  static Statement<Request, Recorded> of(DSLContext dialect) {
    return of(dialect, cast(Texts.param("result"), JOB_STEPS.RESULT));
  }

  /** Creates the statement for a sleep, whose result is the instant at which it ends. */
  static Statement<Request, Recorded> ofSleep(DSLContext dialect) {
    return of(
        dialect,
        field(
            "to_jsonb({0})",
            SQLDataType.JSONB,
            DatabaseClock.plusMicros(DatabaseClock.NOW, param("micros", Long.class))));
  }

  /**
   * A recorded memo.
   *
   * @param result the result as JSON; null if there is none
   */
  record Recorded(@Nullable String result) {}

  private static Statement<Request, Recorded> of(DSLContext dialect, Field<JSONB> result) {
    Field<String> written = cast(JOB_STEPS.RESULT, SQLDataType.CLOB).as("written");
    return Statement.of(
        dialect,
        insertInto(
                JOB_STEPS,
                JOB_STEPS.JOB_ID,
                JOB_STEPS.EXECUTION_ID,
                JOB_STEPS.POSITION,
                JOB_STEPS.TYPE,
                JOB_STEPS.NAME,
                JOB_STEPS.RESULT,
                JOB_STEPS.UNDO_KIND,
                JOB_STEPS.UNDO_QUEUE,
                JOB_STEPS.UNDO_PAYLOAD,
                JOB_STEPS.UNDO_PAYLOAD_VERSION,
                JOB_STEPS.UNDO_MAX_ATTEMPTS)
            .select(
                select(
                        JOBS.ID,
                        JOBS.CURRENT_EXECUTION_ID,
                        param("position", Integer.class),
                        Texts.param("type"),
                        Texts.param("name"),
                        result,
                        Texts.param("undo_kind"),
                        Texts.param("undo_queue"),
                        cast(Texts.param("undo_payload"), JOB_STEPS.UNDO_PAYLOAD),
                        cast(param("undo_payload_version", Integer.class), SQLDataType.INTEGER),
                        cast(param("undo_max_attempts", Integer.class), SQLDataType.INTEGER))
                    .from(JOBS)
                    .where(JOBS.ID.eq(param("job_id", Long.class)))
                    .and(JOBS.CURRENT_EXECUTION_ID.eq(param("execution_id", Long.class))))
            .onConflict(JOB_STEPS.JOB_ID, JOB_STEPS.NAME)
            .doUpdate()
            .set(JOB_STEPS.EXECUTION_ID, excluded(JOB_STEPS.EXECUTION_ID))
            .set(JOB_STEPS.AT, DatabaseClock.NOW)
            .set(JOB_STEPS.POSITION, excluded(JOB_STEPS.POSITION))
            .set(JOB_STEPS.TYPE, excluded(JOB_STEPS.TYPE))
            .set(JOB_STEPS.RESULT, excluded(JOB_STEPS.RESULT))
            .set(JOB_STEPS.UNDO_KIND, excluded(JOB_STEPS.UNDO_KIND))
            .set(JOB_STEPS.UNDO_QUEUE, excluded(JOB_STEPS.UNDO_QUEUE))
            .set(JOB_STEPS.UNDO_PAYLOAD, excluded(JOB_STEPS.UNDO_PAYLOAD))
            .set(JOB_STEPS.UNDO_PAYLOAD_VERSION, excluded(JOB_STEPS.UNDO_PAYLOAD_VERSION))
            .set(JOB_STEPS.UNDO_MAX_ATTEMPTS, excluded(JOB_STEPS.UNDO_MAX_ATTEMPTS))
            .where(JOB_STEPS.TYPE.eq(inline(Memo.Type.UNDONE.literal(), JOB_STEPS.TYPE)))
            .returningResult(written),
        MemoStatement::arguments,
        row -> new Recorded(row.textOrNull(written)));
  }

  private static Arguments arguments(Request request) {
    NewJob undo = request.undo();
    Arguments arguments =
        new Arguments()
            .number("job_id", request.execution().jobId().value())
            .number("execution_id", request.execution().id().value())
            .integer("position", request.position())
            .text("type", request.type().literal())
            .text("name", request.name())
            .text("undo_kind", undo == null ? null : undo.kind())
            .text("undo_queue", undo == null ? null : undo.queue())
            .text("undo_payload", undo == null ? null : undo.payload())
            .integer("undo_payload_version", undo == null ? null : (Integer) undo.payloadVersion())
            .integer("undo_max_attempts", undo == null ? null : undo.maxAttempts());
    return request.micros() == null
        ? arguments.text("result", request.result())
        : arguments.number("micros", request.micros());
  }
}
