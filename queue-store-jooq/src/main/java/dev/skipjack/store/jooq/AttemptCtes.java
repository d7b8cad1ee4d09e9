package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.model.tables.records.JobExecutionsRecord;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.steps.StepCtes;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jooq.CaseConditionStep;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.SelectSeekStep1;
import org.jooq.Table;
import org.jooq.UpdateSetMoreStep;
import org.jooq.WithStep;

/**
 * The parts that the statements for batches of attempts share:
 *
 * <pre>{@code
 * locked    AS MATERIALIZED (SELECT id, cancel_requested_at IS NOT NULL AS is_cancelled FROM jobs
 *                             WHERE id = ANY (:job_ids) AND current_execution_id = ANY (:execution_ids)
 *                             ORDER BY id FOR UPDATE SKIP LOCKED),
 * kept      AS (... jobs ... WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE NOT is_cancelled)) RETURNING ...),
 * cancelled AS (DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE is_cancelled)) RETURNING ...),
 * archived  AS (INSERT INTO jobs_archive ... FROM cancelled),
 * ended     AS MATERIALIZED (SELECT id, execution_id, status FROM kept UNION ALL SELECT ... 'cancelled' FROM cancelled),
 * closed    AS (UPDATE job_executions SET status = ..., finished_at = clock_timestamp()
 *                WHERE job_executions.id = ANY (ARRAY(SELECT execution_id FROM ended))
 *                  AND job_executions.started_at >= '2026-11-16' AND job_executions.started_at < '2026-11-23')
 * SELECT CASE WHEN ended.id IS NOT NULL THEN 'done' WHEN EXISTS (the row with this execution) THEN 'busy' ELSE 'lost' END, ...
 *   FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>Only the execution id fences a write: with a status predicate, the planner could read the dead
 * entries of the running index. Rows are locked in id order. A row that another transaction has
 * locked is skipped and reported as busy, so that one open transaction does not delay the whole
 * batch until its leases expire (docs/adr/0004). A statement that may delete rows locks them {@code
 * FOR UPDATE}. With a weaker lock, it could lock the batch and then wait for an uncommitted foreign
 * key. A statement that only updates rows locks them {@code FOR NO KEY UPDATE}.
 *
 * <p>The weeks in which the attempts began are constants in the text, so a plan neither reads nor
 * locks other partitions of the audit. If the weeks came from the jobs' rows, PostgreSQL would
 * prune partitions at run time, which can crash versions 18.0 to 18.6 (docs/adr/0002).
 */
final class AttemptCtes {

  static final Param<Long[]> JOB_IDS = param("job_ids", Long[].class);
  static final Param<Long[]> EXECUTION_IDS = param("execution_ids", Long[].class);

  /** The name of the execution id in the CTEs below. */
  static final String EXECUTION_ID = "execution_id";

  private static final String IS_CANCELLED = "is_cancelled";

  private AttemptCtes() {}

  /**
   * Returns the input, {@code given(job_id, execution_id, ..., position)}, to which a statement
   * adds its own columns.
   */
  static ArrayRows given() {
    return ArrayRows.named("given")
        .column("job_id", JOB_IDS)
        .column(EXECUTION_ID, EXECUTION_IDS)
        .withPosition();
  }

  /**
   * Returns a CTE that locks, for a delete, the jobs that the given executions hold. It skips rows
   * that another transaction has locked.
   */
  static CommonTableExpression<?> locked() {
    return name("locked").asMaterialized(fenced().forUpdate().skipLocked());
  }

  /** Returns a CTE like {@link #locked}, for a statement that deletes no jobs. */
  static CommonTableExpression<?> lockedForUpdateOnly() {
    return name("locked").asMaterialized(fenced().forNoKeyUpdate().skipLocked());
  }

  private static SelectSeekStep1<?, Long> fenced() {
    return select(JOBS.ID, isCancelled())
        .from(JOBS)
        .where(JOBS.ID.eq(any(JOB_IDS)))
        .and(JOBS.CURRENT_EXECUTION_ID.eq(any(EXECUTION_IDS)))
        .orderBy(JOBS.ID);
  }

  /**
   * Returns the CTE {@code deletable(id, is_cancelled)}, which locks, for a delete, the jobs of
   * {@code locked} whose cancellation was requested. It skips a job to which an uncommitted foreign
   * key refers.
   */
  private static CommonTableExpression<?> deletable(Table<?> locked) {
    return name("deletable")
        .asMaterialized(
            select(JOBS.ID, isCancelled())
                .from(JOBS)
                .where(isCancelledIn(locked))
                .orderBy(JOBS.ID)
                .forUpdate()
                .skipLocked());
  }

  /** Returns the column that shows whether cancellation of a locked job was requested. */
  static Field<Boolean> isCancelled() {
    return field(JOBS.CANCEL_REQUESTED_AT.isNotNull()).as(IS_CANCELLED);
  }

  /** Returns a condition that restricts a write to the jobs in {@code locked}. */
  static Condition isLocked(Table<?> locked) {
    return JOBS.ID.eq(any(array(select(idOf(locked)).from(locked))));
  }

  /**
   * Returns a condition that restricts a write to jobs in {@code locked} whose cancellation was not
   * requested.
   */
  static Condition isKept(Table<?> locked) {
    return JOBS.ID.eq(
        any(array(select(idOf(locked)).from(locked).where(cancelledIn(locked).isFalse()))));
  }

  /**
   * Returns a condition that restricts a write or a lock to jobs in {@code locked} whose
   * cancellation was requested.
   */
  private static Condition isCancelledIn(Table<?> locked) {
    return JOBS.ID.eq(
        any(array(select(idOf(locked)).from(locked).where(cancelledIn(locked).isTrue()))));
  }

  /**
   * Returns the condition that joins a job to the row of the input that may end its attempt. A
   * batch may contain several attempts of a job, of which at most one holds it.
   */
  static Condition isFencedBy(ArrayRows given) {
    return JOBS.ID
        .eq(given.field("job_id", Long.class))
        .and(JOBS.CURRENT_EXECUTION_ID.eq(given.field(EXECUTION_ID, Long.class)));
  }

  /**
   * Returns the CTEs that end attempts without completing their jobs. {@code kept} updates the
   * jobs. Jobs whose cancellation was requested are archived instead. The audit rows of both are
   * closed.
   *
   * @param locked a CTE from {@link #locked}
   * @param parts what the statement adds: with an owner, it is archived; with steps, those of
   *     cancelled jobs are archived, and the undos of cancelled and dead jobs are enqueued
   * @param close creates the update of the audit rows from {@code ended}
   */
  static Endings endings(
      CommonTableExpression<?> locked,
      CommonTableExpression<?> kept,
      EndParts parts,
      Function<CommonTableExpression<?>, CommonTableExpression<?>> close) {
    return endings(List.of(locked, kept), kept, locked, parts, close);
  }

  /**
   * Returns CTEs like {@link #endings}, for jobs that are locked only for updates and may have an
   * owner.
   *
   * @param locked a CTE from {@link #lockedForUpdateOnly}
   */
  static Endings endingsOfLockedForUpdateOnly(
      CommonTableExpression<?> locked,
      CommonTableExpression<?> kept,
      Function<CommonTableExpression<?>, CommonTableExpression<?>> close) {
    CommonTableExpression<?> deletable = deletable(locked);
    return endings(List.of(locked, kept, deletable), kept, deletable, EndParts.OWNED, close);
  }

  private static Endings endings(
      List<CommonTableExpression<?>> first,
      CommonTableExpression<?> kept,
      CommonTableExpression<?> deletable,
      EndParts parts,
      Function<CommonTableExpression<?>, CommonTableExpression<?>> close) {
    CommonTableExpression<?> cancelled = cancelled(deletable, parts.owned());
    CommonTableExpression<?> ended = ended(kept, cancelled);
    List<CommonTableExpression<?>> all = new ArrayList<>(first);
    all.add(cancelled);
    if (parts.steps()) {
      all.addAll(endedSteps(cancelled, kept));
    } else {
      all.add(Archive.of(cancelled, JobStatus.CANCELLED, parts.owned()));
    }
    all.add(ended);
    all.add(close.apply(ended));
    return new Endings(all, ended);
  }

  /** Returns the CTEs that archive cancelled jobs with their steps, and enqueue undos. */
  private static List<CommonTableExpression<?>> endedSteps(
      CommonTableExpression<?> cancelled, CommonTableExpression<?> kept) {
    CommonTableExpression<?> memos = StepCtes.memos(cancelled);
    CommonTableExpression<?> undone =
        StepCtes.undone(
            select(idOf(kept))
                .from(kept)
                .where(statusOf(kept).eq(JobPredicates.literal(JobStatus.DEAD))));
    return List.of(
        memos,
        StepCtes.waits(cancelled),
        Archive.withSteps(cancelled, memos, JobStatus.CANCELLED),
        undone,
        StepCtes.undos(StepCtes.all(memos, undone), noCondition()));
  }

  /**
   * The CTEs of a statement that ends attempts.
   *
   * @param all all CTEs, in the order in which they refer to each other
   * @param ended the CTE with one row for each attempt that was ended: {@code ended(id,
   *     execution_id, status, queue, kind, started_at)}
   */
  record Endings(List<CommonTableExpression<?>> all, CommonTableExpression<?> ended) {}

  /** Returns a CTE that deletes the jobs whose cancellation was requested from the live table. */
  private static CommonTableExpression<?> cancelled(Table<?> locked, boolean owned) {
    return name("cancelled")
        .as(deleteFrom(JOBS).where(isCancelledIn(locked)).returning(Archive.columns(owned)));
  }

  private static CommonTableExpression<?> ended(Table<?> kept, Table<?> cancelled) {
    return name("ended")
        .asMaterialized(
            select(
                    idOf(kept),
                    field(name(kept.getName(), EXECUTION_ID), Long.class),
                    statusOf(kept),
                    field(name(kept.getName(), "queue"), String.class),
                    field(name(kept.getName(), "kind"), String.class),
                    field(name(kept.getName(), "started_at"), Instant.class))
                .from(kept)
                .unionAll(
                    select(
                            idOf(cancelled),
                            field(name(cancelled.getName(), EXECUTION_ID), Long.class),
                            JobPredicates.literal(JobStatus.CANCELLED),
                            field(name(cancelled.getName(), "queue"), String.class),
                            field(name(cancelled.getName(), "kind"), String.class),
                            field(name(cancelled.getName(), "started_at"), Instant.class))
                        .from(cancelled)));
  }

  /** Returns the columns of the kept jobs that {@link #ended} reads. */
  static List<Field<?>> keptColumns(Field<Long> executionId) {
    return List.of(
        JOBS.ID, executionId.as(EXECUTION_ID), JOBS.STATUS, JOBS.QUEUE, JOBS.KIND, JOBS.STARTED_AT);
  }

  /**
   * Returns a CTE that closes the audit rows of the attempts in {@code ended}, all with the same
   * status.
   */
  static CommonTableExpression<?> closed(Table<?> ended, ExecutionStatus status, AuditWeeks weeks) {
    return name("closed")
        .as(close(literal(status)).where(auditRowsOf(ended, weeks)).returning(JOB_EXECUTIONS.ID));
  }

  /**
   * Returns a CTE that closes the audit rows of the attempts in {@code ended}.
   *
   * @param close an update begun by {@link #close}; may use columns of {@code ended}
   */
  static CommonTableExpression<?> closed(
      UpdateSetMoreStep<JobExecutionsRecord> close, Table<?> ended, AuditWeeks weeks) {
    return name("closed")
        .as(close.from(ended).where(auditRowOf(ended, weeks)).returning(JOB_EXECUTIONS.ID));
  }

  /**
   * Returns a CTE that closes the audit rows of the attempts in {@code ended}.
   *
   * @param close an update begun by {@link #close}; may use columns of {@code ended} and {@code
   *     given}
   */
  static CommonTableExpression<?> closed(
      UpdateSetMoreStep<JobExecutionsRecord> close,
      Table<?> ended,
      ArrayRows given,
      AuditWeeks weeks) {
    return name("closed")
        .as(
            close
                .from(ended, given.table())
                .where(auditRowOf(ended, weeks))
                .and(joins(given, ended))
                .returning(JOB_EXECUTIONS.ID));
  }

  /** Begins an update that closes audit rows with the given status. */
  static UpdateSetMoreStep<JobExecutionsRecord> close(Field<ExecutionStatus> status) {
    return update(JOB_EXECUTIONS)
        .set(JOB_EXECUTIONS.STATUS, status)
        .set(JOB_EXECUTIONS.FINISHED_AT, DatabaseClock.NOW);
  }

  /**
   * Begins a CASE for the audit status of an attempt in {@code ended}, which is cancelled if its
   * job was cancelled.
   */
  static CaseConditionStep<ExecutionStatus> cancelledOr(Table<?> ended) {
    return when(
        statusOf(ended).eq(JobPredicates.literal(JobStatus.CANCELLED)),
        literal(ExecutionStatus.CANCELLED));
  }

  /**
   * Returns a condition that finds the audit rows by the ids in {@code ended}, in the partitions of
   * the given weeks only. The ids are an array, because for a join the planner could read all
   * attempts of these weeks.
   */
  private static Condition auditRowsOf(Table<?> ended, AuditWeeks weeks) {
    return JOB_EXECUTIONS
        .ID
        .eq(any(array(select(executionOf(ended)).from(ended))))
        .and(weeks.condition());
  }

  /**
   * Returns a condition like {@link #auditRowsOf} that also joins each audit row to its row in
   * {@code ended}.
   */
  private static Condition auditRowOf(Table<?> ended, AuditWeeks weeks) {
    return JOB_EXECUTIONS.ID.eq(executionOf(ended)).and(auditRowsOf(ended, weeks));
  }

  /** Selects {@code fields} for each attempt of the input, in the order of the input. */
  static ResultQuery<?> resultOfEach(
      WithStep with, ArrayRows given, Table<?> ended, Field<?>... fields) {
    return with.select(fields)
        .from(given.table())
        .leftJoin(ended)
        .on(joins(given, ended))
        .orderBy(given.field("position", Long.class));
  }

  private static Condition joins(ArrayRows given, Table<?> ended) {
    return idOf(ended)
        .eq(given.field("job_id", Long.class))
        .and(executionOf(ended).eq(given.field(EXECUTION_ID, Long.class)));
  }

  /**
   * Returns the verdict for an attempt of the input. It depends on the job's row and not on the
   * audit.
   */
  static Field<String> verdict(ArrayRows given, Table<?> ended) {
    return verdict(
        idOf(ended).isNotNull(), exists(selectOne().from(JOBS).where(isFencedBy(given))));
  }

  /**
   * Returns the verdict for an attempt.
   *
   * @param isEnded whether the statement ended it
   * @param isFenced whether it still holds the job's row
   */
  static Field<String> verdict(Condition isEnded, Condition isFenced) {
    return when(isEnded, inline(Verdict.DONE.name()))
        .when(isFenced, inline(Verdict.BUSY.name()))
        .otherwise(inline(Verdict.LOST.name()));
  }

  /** Returns the current status of the jobs of {@code ended}. */
  static Field<JobStatus> statusOf(Table<?> ended) {
    return field(name(ended.getName(), "status"), JOBS.STATUS.getDataType());
  }

  /** Returns an audit status as a literal in the text of a statement. */
  static Field<ExecutionStatus> literal(ExecutionStatus status) {
    return inline(status, JOB_EXECUTIONS.STATUS);
  }

  /** Returns the arguments that pass {@code attempts} as the input. */
  static <A> Arguments arguments(List<A> attempts, Function<A, Execution> execution) {
    return new Arguments()
        .bigints("job_ids", attempts, attempt -> execution.apply(attempt).jobId().value())
        .bigints("execution_ids", attempts, attempt -> execution.apply(attempt).id().value());
  }

  /**
   * Creates the statement that ends attempts with {@code endings} and returns a result for each
   * attempt of the input.
   */
  static <A> Statement<List<A>, Ended> statement(
      DSLContext dialect, ArrayRows given, Endings endings, Function<List<A>, Arguments> binding) {
    Field<String> verdict = verdict(given, endings.ended());
    Field<JobStatus> status = statusOf(endings.ended());
    return Statement.of(
        dialect,
        resultOfEach(with(endings.all()), given, endings.ended(), verdict, status),
        binding,
        row -> {
          String literal = row.textOrNull(status); // null unless the verdict is done
          return new Ended(verdict(row, verdict), literal == null ? null : JobStatus.of(literal));
        });
  }

  /** Reads a field made by {@link #verdict(ArrayRows, Table)}. */
  static Verdict verdict(Row row, Field<String> verdict) throws SQLException {
    return Verdict.valueOf(row.text(verdict));
  }

  private static Field<Long> executionOf(Table<?> table) {
    return field(name(table.getName(), EXECUTION_ID), Long.class);
  }

  private static Field<Long> idOf(Table<?> table) {
    return field(name(table.getName(), "id"), Long.class);
  }

  private static Field<Boolean> cancelledIn(Table<?> locked) {
    return field(name(locked.getName(), IS_CANCELLED), Boolean.class);
  }
}
