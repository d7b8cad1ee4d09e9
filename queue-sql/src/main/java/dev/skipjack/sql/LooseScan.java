package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectLimitPercentStep;
import org.jooq.Table;

/**
 * Finds the groups of index entries with the same values in the first columns, and the first entry
 * of each group.
 *
 * <pre>{@code
 * lane AS (
 *     SELECT * FROM (SELECT queue, priority, ... FROM jobs WHERE status = 'pending'
 *                     ORDER BY queue, priority, scheduled_at, id LIMIT 1) AS first
 *   UNION ALL
 *     SELECT next.* FROM lane CROSS JOIN LATERAL (
 *            SELECT queue, priority, ... FROM jobs WHERE status = 'pending' AND (queue, priority) > (lane.queue, lane.priority)
 *             ORDER BY queue, priority, scheduled_at, id LIMIT 1) AS next)
 * }</pre>
 *
 * <p>A DISTINCT would read every entry. The recursion reads only the first entry of each group. It
 * orders by all columns of the index because the planner might otherwise choose another index for
 * the limit.
 */
public final class LooseScan {

  /** The columns of {@code jobs_pending_idx}, in order. */
  public static final List<Field<?>> PENDING_ORDER =
      List.of(JOBS.QUEUE, JOBS.PRIORITY, JOBS.SCHEDULED_AT, JOBS.ID);

  /** The columns of {@code jobs_dead_idx}, in order. */
  public static final List<Field<?>> DEAD_ORDER = List.of(JOBS.QUEUE, JOBS.KIND, JOBS.ID);

  private LooseScan() {}

  /**
   * Finds the queues that have pending jobs: {@code <alias>(queue)}.
   *
   * @param alias the name of the common table expression
   * @return the common table expression
   */
  public static CommonTableExpression<?> pendingQueues(String alias) {
    return groups(
        alias,
        List.of(JOBS.QUEUE),
        JobPredicates.PENDING,
        JOBS.QUEUE.gt(of(alias, JOBS.QUEUE)),
        PENDING_ORDER);
  }

  /**
   * Finds the lanes that have pending jobs, and the due time of the first job of each: {@code
   * <alias>(queue, priority, scheduled_at)}.
   *
   * @param alias the name of the common table expression
   * @return the common table expression
   */
  public static CommonTableExpression<?> lanes(String alias) {
    return groups(
        alias,
        List.of(JOBS.QUEUE, JOBS.PRIORITY, JOBS.SCHEDULED_AT),
        JobPredicates.PENDING,
        row(JOBS.QUEUE, JOBS.PRIORITY).gt(of(alias, JOBS.QUEUE), of(alias, JOBS.PRIORITY)),
        PENDING_ORDER);
  }

  /**
   * Finds the lanes of some queues that have pending jobs: {@code <alias>(queue, priority)}.
   *
   * @param alias the name of the common table expression
   * @param queues the condition that selects the queues
   * @return the common table expression
   */
  public static CommonTableExpression<?> lanes(String alias, Condition queues) {
    return groups(
        alias,
        List.of(JOBS.QUEUE, JOBS.PRIORITY),
        JobPredicates.PENDING.and(queues),
        row(JOBS.QUEUE, JOBS.PRIORITY).gt(of(alias, JOBS.QUEUE), of(alias, JOBS.PRIORITY)),
        PENDING_ORDER);
  }

  /**
   * Finds the queues and kinds that have dead jobs: {@code <alias>(queue, kind)}.
   *
   * @param alias the name of the common table expression
   * @return the common table expression
   */
  public static CommonTableExpression<?> deadGroups(String alias) {
    return groups(
        alias,
        List.of(JOBS.QUEUE, JOBS.KIND),
        JobPredicates.DEAD,
        row(JOBS.QUEUE, JOBS.KIND).gt(of(alias, JOBS.QUEUE), of(alias, JOBS.KIND)),
        DEAD_ORDER);
  }

  /**
   * {@return a column of a CTE that this class has created}
   *
   * @param <T> the type of the value
   * @param alias the name of the common table expression
   * @param column the column
   */
  public static <T> Field<T> of(String alias, Field<T> column) {
    return field(name(alias, column.getName()), column.getDataType());
  }

  private static CommonTableExpression<?> groups(
      String alias,
      List<Field<?>> columns,
      Condition which,
      Condition beyond,
      List<Field<?>> order) {
    Table<?> first = entry(columns, which, noCondition(), order).asTable("first");
    Table<?> next = entry(columns, which, beyond, order).asTable("next");
    return name(alias)
        .fields(columns.stream().map(Field::getName).toArray(String[]::new))
        .as(
            select(first.fields())
                .from(first)
                .unionAll(select(next.fields()).from(table(name(alias))).crossJoin(lateral(next))));
  }

  private static SelectLimitPercentStep<Record> entry(
      List<Field<?>> columns, Condition which, Condition beyond, List<Field<?>> order) {
    return select(columns).from(JOBS).where(which).and(beyond).orderBy(order).limit(inline(1));
  }
}
