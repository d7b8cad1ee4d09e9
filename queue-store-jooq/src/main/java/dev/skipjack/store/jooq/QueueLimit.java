package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Texts;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * The parts that the statements for fair and limited queues share:
 *
 * <pre>{@code
 * bound AS MATERIALIZED (
 *   SELECT limit_name, max_running, max_running_per_group, ...
 *     FROM job_queues LEFT JOIN job_limits ON job_limits.name = job_queues.limit_name
 *    WHERE queue = :queue AND (fair OR limit_name IS NOT NULL) AND NOT <paused now>)
 * }</pre>
 *
 * <p>The running jobs of a limit are its permits in use, and are counted in its indexes. There is
 * no counter that could differ from them.
 */
final class QueueLimit {

  private static final String BOUND = "bound";
  private static final Field<Long> PERIOD = field(name("rate_period"), SQLDataType.BIGINT);
  private static final Field<Long> INTERVAL = field(name("rate_interval"), SQLDataType.BIGINT);

  /** The name of the limit. */
  static final Field<String> NAME = of(JOB_QUEUES.LIMIT_NAME);

  /** The maximum number of running jobs. */
  static final Field<Integer> MOST = of(JOB_LIMITS.MAX_RUNNING);

  /** The maximum number of running jobs of each group. */
  static final Field<Integer> MOST_PER_GROUP = of(JOB_LIMITS.MAX_RUNNING_PER_GROUP);

  /** The rate. */
  static final RateLimit RATE =
      new RateLimit(
          NAME,
          of(JOB_LIMITS.RATE_COUNT),
          of(JOB_LIMITS.RATE_BURST),
          of(JOB_LIMITS.RATE_KIND),
          of(PERIOD),
          of(INTERVAL));

  private QueueLimit() {}

  /** Returns the CTE {@code bound} for the queue that the parameter {@code queue} names. */
  static CommonTableExpression<?> bound(Condition which) {
    return name(BOUND)
        .asMaterialized(
            select(
                    JOB_QUEUES.LIMIT_NAME,
                    JOB_LIMITS.MAX_RUNNING,
                    JOB_LIMITS.MAX_RUNNING_PER_GROUP,
                    JOB_LIMITS.RATE_COUNT,
                    JOB_LIMITS.RATE_KIND,
                    JOB_LIMITS.RATE_PER_GROUP,
                    coalesce(JOB_LIMITS.RATE_BURST, JOB_LIMITS.RATE_COUNT)
                        .as(JOB_LIMITS.RATE_BURST),
                    RateLimit.period().as(PERIOD),
                    RateLimit.interval().as(INTERVAL))
                .from(JOB_QUEUES)
                .leftJoin(JOB_LIMITS)
                .on(JOB_LIMITS.NAME.eq(JOB_QUEUES.LIMIT_NAME))
                .where(JOB_QUEUES.QUEUE.eq(queue()))
                .and(JOB_QUEUES.LIMIT_NAME.isNotNull().or(JOB_QUEUES.FAIR))
                .and(not(coalesce(field(PausePredicates.PAUSED), inline(false))))
                .and(which));
  }

  static Field<String> queue() {
    return Texts.param("queue");
  }

  /** Returns a column of {@link #bound}. */
  static <T> Field<T> of(Field<T> column) {
    return field(name(BOUND, column.getName()), column.getDataType());
  }

  /** Returns the condition that a number of the limit applies to all groups together. */
  static Condition isOverAll() {
    return MOST.isNotNull().or(hasRateOverAll());
  }

  /** Returns the condition that a number of the limit applies to each group. */
  static Condition isPerGroup() {
    return MOST_PER_GROUP.isNotNull().or(hasRatePerGroup());
  }

  /** Returns the condition that the limit has a rate for all groups together. */
  static Condition hasRateOverAll() {
    return of(JOB_LIMITS.RATE_COUNT).isNotNull().and(not(of(JOB_LIMITS.RATE_PER_GROUP)));
  }

  /** Returns the condition that the limit has a rate for each group. */
  static Condition hasRatePerGroup() {
    return of(JOB_LIMITS.RATE_COUNT).isNotNull().and(of(JOB_LIMITS.RATE_PER_GROUP));
  }

  /**
   * Returns the settings of a group as a lateral table with at most one row. The LIMIT keeps the
   * planner from joining with all groups of the queue.
   */
  static Table<?> settingsOf(Field<String> group) {
    return select(JOB_GROUPS.WEIGHT, JOB_GROUPS.MAX_RUNNING, JOB_GROUPS.PAUSED_AT)
        .from(JOB_GROUPS)
        .where(JOB_GROUPS.QUEUE.eq(queue()))
        .and(JOB_GROUPS.GROUP_KEY.eq(group))
        .limit(inline(1))
        .asTable("own");
  }

  /** Returns the maximum number of running jobs of the group of {@link #settingsOf}. */
  static Field<Integer> mostOfGroup() {
    return coalesce(
        field(name("own", JOB_GROUPS.MAX_RUNNING.getName()), Integer.class), MOST_PER_GROUP);
  }

  /**
   * Returns the number of running jobs of a limit and a group, up to {@code most}. A group may be
   * null, so there are two subqueries, of which only one reads anything.
   */
  static Field<Integer> running(Field<String> limit, Field<String> group, Field<Integer> most) {
    return field(
            select(count())
                .from(
                    selectOne()
                        .from(JOBS)
                        .where(JobPredicates.RUNNING)
                        .and(JOBS.LIMIT_NAME.eq(limit))
                        .and(JOBS.GROUP_KEY.eq(group))
                        .limit(most)
                        .asTable("grouped")))
        .plus(
            field(
                select(count())
                    .from(
                        selectOne()
                            .from(JOBS)
                            .where(JobPredicates.RUNNING)
                            .and(JOBS.LIMIT_NAME.eq(limit))
                            .and(JOBS.GROUP_KEY.isNull())
                            .and(group.isNull())
                            .limit(most)
                            .asTable("ungrouped"))));
  }

  /** Returns the number of running jobs of a limit, up to {@code most}. */
  static Field<Integer> running(Field<String> limit, Field<Integer> most) {
    return field(
        select(count())
            .from(
                selectOne()
                    .from(JOBS)
                    .where(JobPredicates.RUNNING)
                    .and(JOBS.LIMIT_NAME.eq(limit))
                    .limit(most)
                    .asTable("used")));
  }
}
