package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.ArrayRows;
import dev.skipjack.store.jooq.spi.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.Table;

/**
 * What all batched writes about attempts share: the input, the lock that waits for nobody, the
 * closing of the audit row, the answer for each row.
 *
 * <pre>{@code
 * locked AS MATERIALIZED (SELECT id FROM jobs WHERE id = ANY (:job_ids) AND current_execution_id = ANY (:execution_ids)
 *                          ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * ended  AS (... jobs ... WHERE id = ANY (ARRAY(SELECT id FROM locked)) RETURNING id, execution_id, started_at),
 * closed AS (UPDATE job_executions SET status = ..., finished_at = clock_timestamp() FROM ended
 *             WHERE job_executions.id = ended.execution_id AND job_executions.started_at = ended.started_at)
 * SELECT CASE WHEN ended.id IS NOT NULL THEN 'done' WHEN EXISTS (the row with this execution) THEN 'busy' ELSE 'lost' END
 *   FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>The execution id is the fence, and the fence is all: a status predicate beside it lets the
 * planner walk the dead entries of the running index. Rows are locked in id order, and one that
 * somebody holds is skipped and answered as busy: without that, one open transaction would hold up
 * a whole batch, and past the lease cost every neighbour its lease (docs/adr/0004).
 */
final class AttemptCtes {

  static final Param<Long[]> JOB_IDS = param("job_ids", Long[].class);
  static final Param<Long[]> EXECUTION_IDS = param("execution_ids", Long[].class);

  /**
   * Column of the CTEs below; RETURNING gives the row after the update, where the fence is gone.
   */
  static final String EXECUTION_ID = "execution_id";

  private AttemptCtes() {}

  /**
   * The input: {@code given(job_id, execution_id, ..., position)}, to which a statement adds
   * columns of its own.
   */
  static ArrayRows given() {
    return ArrayRows.named("given")
        .column("job_id", JOB_IDS)
        .column(EXECUTION_ID, EXECUTION_IDS)
        .withPosition();
  }

  /** The jobs whose fence holds and whose row nobody holds. */
  static CommonTableExpression<Record1<Long>> locked() {
    return name("locked")
        .asMaterialized(
            select(JOBS.ID)
                .from(JOBS)
                .where(JOBS.ID.eq(any(JOB_IDS)))
                .and(JOBS.CURRENT_EXECUTION_ID.eq(any(EXECUTION_IDS)))
                .orderBy(JOBS.ID)
                .forNoKeyUpdate()
                .skipLocked());
  }

  /** Restricts a write to what {@link #locked} holds. */
  static Condition isLocked(CommonTableExpression<Record1<Long>> locked) {
    return JOBS.ID.eq(any(array(select(locked.field(JOBS.ID)).from(locked))));
  }

  /** Closes the audit rows of the attempts in {@code ended}. */
  static CommonTableExpression<?> closed(Table<?> ended, Field<ExecutionStatus> status) {
    return name("closed")
        .as(
            update(JOB_EXECUTIONS)
                .set(JOB_EXECUTIONS.STATUS, status)
                .set(JOB_EXECUTIONS.FINISHED_AT, DatabaseClock.NOW)
                .from(ended)
                .where(auditRowOf(ended))
                .returning(JOB_EXECUTIONS.ID));
  }

  /** Finds the audit row by its partition as well as by its id. */
  static Condition auditRowOf(Table<?> ended) {
    return JOB_EXECUTIONS
        .ID
        .eq(field(name(ended.getName(), EXECUTION_ID), Long.class))
        .and(
            JOB_EXECUTIONS.STARTED_AT.eq(
                field(name(ended.getName(), "started_at"), Instant.class)));
  }

  /** Joins an answer to the row of the input that it is for. */
  static Condition answers(ArrayRows given, Table<?> ended) {
    return field(name(ended.getName(), "id"), Long.class)
        .eq(given.field("job_id", Long.class))
        .and(
            field(name(ended.getName(), EXECUTION_ID), Long.class)
                .eq(given.field(EXECUTION_ID, Long.class)));
  }

  /** Done, busy or lost: from the job's row and never from the audit's. */
  static Field<String> verdict(ArrayRows given, Table<?> ended) {
    return when(
            field(name(ended.getName(), "id"), Long.class).isNotNull(), inline(Verdict.DONE.name()))
        .when(
            exists(
                selectOne()
                    .from(JOBS)
                    .where(JOBS.ID.eq(given.field("job_id", Long.class)))
                    .and(JOBS.CURRENT_EXECUTION_ID.eq(given.field(EXECUTION_ID, Long.class)))),
            inline(Verdict.BUSY.name()))
        .otherwise(inline(Verdict.LOST.name()));
  }

  /** An audit status as it stands in the text of a statement. */
  static Field<ExecutionStatus> literal(ExecutionStatus status) {
    return inline(status, JOB_EXECUTIONS.STATUS);
  }

  /** The values of {@code attempts} for the input. */
  static <A> Arguments arguments(List<A> attempts, Function<A, Execution> execution) {
    return new Arguments()
        .bigints("job_ids", attempts, attempt -> execution.apply(attempt).jobId().value())
        .bigints("execution_ids", attempts, attempt -> execution.apply(attempt).id().value());
  }

  /** Reads a verdict from the first column. */
  static Verdict read(ResultSet row) throws SQLException {
    return Verdict.valueOf(row.getString(1));
  }
}
