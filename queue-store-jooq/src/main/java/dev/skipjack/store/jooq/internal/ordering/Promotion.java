package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectDistinct;
import static org.jooq.impl.DSL.update;

import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.SelectField;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Promotes the next job of ordering keys that have no head, as the last part of a statement:
 *
 * <pre>{@code
 * freed    AS MATERIALIZED (SELECT DISTINCT ordering_key FROM ended WHERE ordering_key IS NOT NULL),
 * next     AS MATERIALIZED (SELECT first.id, first.position FROM freed CROSS JOIN LATERAL (
 *                                  SELECT id, coalesce(ordering_position, id) AS position FROM jobs WHERE status = 'waiting' AND ordering_key = freed.ordering_key
 *                                   ORDER BY coalesce(ordering_position, id) LIMIT 1) AS first),
 * unlocked AS MATERIALIZED (SELECT id FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM next)) AND (still waiting)
 *                              AND coalesce(ordering_position, id) = ANY (ARRAY(SELECT position FROM next))
 *                            ORDER BY ordering_key FOR NO KEY UPDATE SKIP LOCKED),
 * promoted AS (UPDATE jobs SET status = 'pending', ordering_head = true, updated_at = clock_timestamp()
 *               WHERE id = ANY (ARRAY(SELECT id FROM unlocked)) RETURNING ...)
 * }</pre>
 *
 * <p>If the next job is locked, for instance by a command that cancels it, nothing is promoted,
 * because the job behind it must not overtake it. A later sweep promotes it. The same applies if
 * the job has moved to another position since the snapshot. "Still waiting" is expressed by other
 * columns, because with {@code status = 'waiting'} the planner could read the whole index of
 * waiting jobs.
 *
 * <p>{@code promoted} depends on {@code ended}, so the head is deleted before the next job becomes
 * the head. Other transactions see the old head until this one ends. The new head therefore does
 * not violate the unique index of the heads.
 *
 * <p>Lock order: first the heads, then the jobs that wait behind them, in key order. The statement
 * waits for none of these locks.
 */
public final class Promotion {

  /** The predicate of {@code jobs_ordering_head_idx}. */
  static final Condition HEAD = condition(JOBS.ORDERING_HEAD);

  /** The position of a job in its ordering key, as in {@code jobs_ordering_waiting_idx}. */
  public static final Field<Long> POSITION = coalesce(JOBS.ORDERING_POSITION, JOBS.ID);

  private Promotion() {}

  /**
   * Returns the CTEs that promote the next jobs of the keys of {@code ended}.
   *
   * @param ended the deleted jobs; a CTE with the columns {@code ordering_key} and {@code
   *     ordering_head}. A job that did not hold its key frees none
   */
  public static List<CommonTableExpression<?>> behind(CommonTableExpression<?> ended) {
    CommonTableExpression<?> freed = freed(ended, noCondition());
    CommonTableExpression<?> next = next(freed);
    CommonTableExpression<?> unlocked = unlocked(next);
    return List.of(freed, next, unlocked, promoted(unlocked));
  }

  /**
   * Returns the CTE {@code freed(ordering_key)} with the keys of the deleted jobs in {@code ended}.
   *
   * @param when a condition that must also be true
   */
  public static CommonTableExpression<?> freed(CommonTableExpression<?> ended, Condition when) {
    Field<String> key = keyOf(ended);
    return name("freed")
        .asMaterialized(
            selectDistinct(key)
                .from(ended)
                .where(key.isNotNull())
                .and(condition(field(name(ended.getName(), "ordering_head"), Boolean.class)))
                .and(when));
  }

  /**
   * Returns the CTE {@code next(id, position)} with the first waiting job of each key of {@code
   * keys}.
   */
  public static CommonTableExpression<?> next(CommonTableExpression<?> keys) {
    Table<?> first =
        select(JOBS.ID, POSITION.as("position"))
            .from(JOBS)
            .where(JobPredicates.WAITING)
            .and(JOBS.ORDERING_KEY.eq(keyOf(keys)))
            .orderBy(POSITION)
            .limit(inline(1))
            .asTable("first");
    return name("next")
        .asMaterialized(
            select(idOf(first), positionOf(first)).from(keys).crossJoin(lateral(first)));
  }

  /**
   * Returns a CTE that locks the jobs of {@code next} that still wait and that no other transaction
   * has locked.
   *
   * @param more further columns, read from the locked version of each row
   */
  public static CommonTableExpression<?> unlocked(
      CommonTableExpression<?> next, SelectField<?>... more) {
    return name("unlocked")
        .asMaterialized(
            select(JOBS.ID)
                .select(more)
                .from(JOBS)
                .where(isOf(next))
                .and(JOBS.ORDERING_HEAD.isNull())
                .and(JOBS.CURRENT_EXECUTION_ID.isNull())
                .and(JOBS.DIED_AT.isNull())
                .and(POSITION.eq(any(array(select(positionOf(next)).from(next)))))
                .orderBy(JOBS.ORDERING_KEY)
                .forNoKeyUpdate()
                .skipLocked());
  }

  /** Returns a CTE that makes the jobs of {@code unlocked} the heads of their keys. */
  static CommonTableExpression<?> promoted(CommonTableExpression<?> unlocked) {
    return promoted(isOf(unlocked));
  }

  /** Returns a CTE that makes the waiting jobs that match {@code which} the heads of their keys. */
  public static CommonTableExpression<?> promoted(Condition which) {
    return name("promoted")
        .as(
            update(JOBS)
                .set(JOBS.STATUS, JobPredicates.literal(JobStatus.PENDING))
                .set(JOBS.ORDERING_HEAD, inline(true))
                .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                .where(which)
                .returning(JOBS.QUEUE, JOBS.PRIORITY, JOBS.KIND, JOBS.SCHEDULED_AT));
  }

  private static Condition isOf(Table<?> table) {
    return JOBS.ID.eq(any(array(select(idOf(table)).from(table))));
  }

  static Field<String> keyOf(Table<?> table) {
    return field(name(table.getName(), "ordering_key"), SQLDataType.CLOB);
  }

  private static Field<Long> positionOf(Table<?> table) {
    return field(name(table.getName(), "position"), Long.class);
  }

  private static Field<Long> idOf(Table<?> table) {
    return field(name(table.getName(), "id"), Long.class);
  }
}
