package dev.skipjack.store.jooq.internal.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.model.Tables.JOB_STEPS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.concat;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;

import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.JobPredicates;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.SelectConditionStep;
import org.jooq.SelectJoinStep;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.SQLDataType;

/**
 * The parts of a statement that ends jobs with durable steps:
 *
 * <pre>{@code
 * memos  AS (DELETE FROM job_steps WHERE job_id = ANY (ARRAY(SELECT id FROM <deleted>)) RETURNING ...),
 * waits  AS (DELETE FROM job_waits WHERE job_id = ANY (ARRAY(SELECT id FROM <deleted>)) RETURNING job_id),
 * undone AS (UPDATE job_steps SET type = 'undone'
 *             WHERE job_id = ANY (ARRAY(SELECT id FROM <dead>)) AND undo_kind IS NOT NULL AND type = 'run' RETURNING ...),
 * undos  AS (INSERT INTO jobs (queue, kind, payload, ..., status, ordering_key)
 *            SELECT undo_queue, undo_kind, undo_payload, ..., 'waiting', 'undo/' || job_id
 *              FROM (the memos that were undone or belonged to a cancelled job) AS stored LEFT JOIN job_queues ...
 *             ORDER BY job_id, position DESC, name DESC RETURNING id, ordering_key)
 * }</pre>
 *
 * <p>A memo is deleted or marked as undone by the statement that enqueues its undo, so a step is
 * undone once, however often and by whomever this is tried. A dead job keeps its memos, because it
 * may be redriven. A step that was undone then runs again.
 *
 * <p>Undos of a job run one after another, because they have a common ordering key. Ids are drawn
 * in the order of the select, so the undo of the latest step is first.
 *
 * <p>Locks memos after the rows of {@code jobs}, and waits only for another statement that ends the
 * same job.
 */
public final class StepCtes {

  /** A larger result is left out of the archive. A job with 1,000 memos then adds at most 8 MiB. */
  private static final int LARGEST_ARCHIVED = 8_192;

  /** The job of a memo, for the condition of {@link #undos}. */
  public static final Field<Long> JOB_OF_UNDO = field(name("stored", "job_id"), Long.class);

  private StepCtes() {}

  /** Returns the ordering key of the undos of a job. */
  public static String undoKey(long job) {
    return "undo/" + job;
  }

  /** Returns the CTE {@code memos}, which deletes the memos of the jobs in {@code deleted}. */
  public static CommonTableExpression<?> memos(Table<?> deleted) {
    return name("memos")
        .as(
            deleteFrom(JOB_STEPS)
                .where(isOf(JOB_STEPS.JOB_ID, deleted))
                .returning(JOB_STEPS.fields()));
  }

  /** Returns the CTE {@code waits}, which deletes the waits of the jobs in {@code deleted}. */
  public static CommonTableExpression<?> waits(Table<?> deleted) {
    return name("waits")
        .as(
            deleteFrom(JOB_WAITS)
                .where(isOf(JOB_WAITS.JOB_ID, deleted))
                .returning(JOB_WAITS.JOB_ID));
  }

  /**
   * Returns the CTE {@code undone}, which marks those memos of dead jobs that have an undo.
   *
   * @param dead selects the ids of the dead jobs
   */
  public static CommonTableExpression<?> undone(Select<Record1<Long>> dead) {
    return name("undone")
        .as(
            update(JOB_STEPS)
                .set(JOB_STEPS.TYPE, inline("undone", JOB_STEPS.TYPE))
                .where(JOB_STEPS.JOB_ID.eq(any(array(dead))))
                .and(JOB_STEPS.UNDO_KIND.isNotNull())
                .and(JOB_STEPS.TYPE.eq(inline("run", JOB_STEPS.TYPE)))
                .returning(JOB_STEPS.fields()));
  }

  /**
   * Returns the CTE {@code undos}, which enqueues the undos of memos.
   *
   * @param memos memos, with all columns
   * @param which a condition on {@link #JOB_OF_UNDO}
   */
  public static CommonTableExpression<?> undos(CommonTableExpression<?> memos, Condition which) {
    return undos(notUndone(memos), which);
  }

  /** Returns a CTE like {@link #undos(CommonTableExpression, Condition)}, for any memos. */
  public static CommonTableExpression<?> undos(Select<?> memos, Condition which) {
    Table<?> memo = memos.asTable("stored");
    return name("undos")
        .as(
            insertInto(
                    JOBS,
                    JOBS.QUEUE,
                    JOBS.KIND,
                    JOBS.PAYLOAD,
                    JOBS.PAYLOAD_VERSION,
                    JOBS.PRIORITY,
                    JOBS.MAX_ATTEMPTS,
                    JOBS.STATUS,
                    JOBS.ORDERING_KEY)
                .select(
                    select(
                            of(memo, JOB_STEPS.UNDO_QUEUE),
                            of(memo, JOB_STEPS.UNDO_KIND),
                            of(memo, JOB_STEPS.UNDO_PAYLOAD),
                            of(memo, JOB_STEPS.UNDO_PAYLOAD_VERSION),
                            coalesce(JOB_QUEUES.DEFAULT_PRIORITY, inline((short) 0)),
                            coalesce(
                                of(memo, JOB_STEPS.UNDO_MAX_ATTEMPTS),
                                JOB_QUEUES.DEFAULT_MAX_ATTEMPTS,
                                inline(25)),
                            JobPredicates.literal(JobStatus.WAITING),
                            concat(inline("undo/"), JOB_OF_UNDO.cast(SQLDataType.CLOB)))
                        .from(memo)
                        .leftJoin(JOB_QUEUES)
                        .on(JOB_QUEUES.QUEUE.eq(of(memo, JOB_STEPS.UNDO_QUEUE)))
                        .where(of(memo, JOB_STEPS.UNDO_KIND).isNotNull())
                        .and(which)
                        .orderBy(
                            JOB_OF_UNDO,
                            of(memo, JOB_STEPS.POSITION).desc(),
                            of(memo, JOB_STEPS.NAME).desc()))
                .returning(JOBS.ID, JOBS.ORDERING_KEY));
  }

  /** Returns a select of the memos of two CTEs, for {@link #undos}. */
  public static Select<?> all(CommonTableExpression<?> memos, CommonTableExpression<?> undone) {
    return notUndone(memos).unionAll(columns(undone));
  }

  private static SelectConditionStep<Record> notUndone(Table<?> memos) {
    return columns(memos).where(of(memos, JOB_STEPS.TYPE).eq(inline("run", JOB_STEPS.TYPE)));
  }

  private static SelectJoinStep<Record> columns(Table<?> memos) {
    List<Field<?>> columns = new ArrayList<>();
    for (Field<?> column : JOB_STEPS.fields()) {
      columns.add(field(name(memos.getName(), column.getName()), column.getDataType()));
    }
    return select(columns).from(memos);
  }

  /**
   * Returns the memos of a job as one JSON array, in their order; null if there are none. Nulls
   * inside a result are kept.
   *
   * @param job the id of the job
   */
  public static Field<JSONB> folded(Table<?> memos, Field<Long> job) {
    return field(
        """
        (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', {1}, 'type', {2}, 'at', {3}, 'execution', {4}, 'sentBy', {5}, 'undoKind', {6}))
                          || case when octet_length(cast({7} as text)) <= {8} then jsonb_build_object('result', {7}) else '{}' end
                          order by {9}, {1})
           from {0} where {10} = {11})""",
        SQLDataType.JSONB,
        name(memos.getName()),
        of(memos, JOB_STEPS.NAME),
        of(memos, JOB_STEPS.TYPE),
        of(memos, JOB_STEPS.AT),
        of(memos, JOB_STEPS.EXECUTION_ID),
        of(memos, JOB_STEPS.SENT_BY),
        of(memos, JOB_STEPS.UNDO_KIND),
        of(memos, JOB_STEPS.RESULT),
        inline(LARGEST_ARCHIVED),
        of(memos, JOB_STEPS.POSITION),
        of(memos, JOB_STEPS.JOB_ID),
        job);
  }

  private static Condition isOf(Field<Long> job, Table<?> jobs) {
    return job.eq(any(array(select(field(name(jobs.getName(), "id"), Long.class)).from(jobs))));
  }

  /** Returns a column of a CTE that contains memos. */
  public static <T> Field<T> of(Table<?> memos, TableField<?, T> column) {
    return field(name(memos.getName(), column.getName()), column.getDataType());
  }
}
