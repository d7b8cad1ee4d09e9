package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * Lists the groups that run as many jobs as they may, and those that are paused, with the number of
 * their due jobs.
 *
 * <pre>{@code
 * WITH RECURSIVE lane AS (lanes of all queues),
 * running AS MATERIALIZED (SELECT limit_name, group_key, count(*) AS jobs
 *              FROM (SELECT limit_name, group_key FROM jobs WHERE status = 'running' AND limit_name IS NOT NULL LIMIT 10001) AS permit
 *             GROUP BY limit_name, group_key),
 * held    AS MATERIALIZED (
 *     SELECT queue, group_key, jobs, coalesce(job_groups.max_running, max_running_per_group) AS most
 *       FROM job_queues JOIN job_limits ON name = limit_name JOIN running USING (limit_name) LEFT JOIN job_groups USING (queue, group_key)
 *      WHERE paused_at IS NULL AND jobs >= coalesce(job_groups.max_running, max_running_per_group)
 *   UNION ALL
 *     SELECT queue, group_key, 0, CASE WHEN paused_at IS NULL THEN 0 END FROM job_groups JOIN job_queues USING (queue)
 *      WHERE paused_at IS NOT NULL OR max_running = 0 AND limit_name IS NOT NULL
 *   LIMIT 1000)
 * SELECT held.*, (number of due jobs with the queue and the group) FROM held
 * }</pre>
 *
 * <p>A group whose maximum is 0 appears in both parts while a job of it runs. A group that runs as
 * many jobs as it may has at least one running job, so there are never more of them than running
 * jobs. No index contains the jobs without a group, so they are counted among the first due jobs of
 * each lane. Locks nothing.
 */
final class HeldGroupsStatement {

  private static final String HELD = "held";
  private static final Field<String> QUEUE = LooseScan.of(HELD, JOB_QUEUES.QUEUE);
  private static final Field<String> GROUP = LooseScan.of(HELD, JOBS.GROUP_KEY);
  private static final Field<Integer> RUNNING = field(name(HELD, "jobs"), Integer.class);
  private static final Field<Integer> MOST = field(name(HELD, "most"), Integer.class);
  private static final Field<Integer> DUE = field(name("due"), Integer.class);

  private HeldGroupsStatement() {}

  /**
   * A group.
   *
   * @param group null for the jobs without a group
   * @param running the number of its running jobs under the limit
   * @param most the number that is allowed; null if the group is paused
   * @param due the number of due jobs, up to {@link HeldLane#DUE_COUNTED}
   */
  record Group(
      String queue, @Nullable String group, int running, @Nullable Integer most, int due) {}

  static Statement<NoRequest, Group> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        withRecursive(LooseScan.lanes("lane"), running(), held())
            .select(
                QUEUE,
                GROUP,
                RUNNING,
                MOST,
                when(GROUP.isNull(), dueWithoutGroup()).otherwise(dueOfGroup()).as(DUE))
            .from(table(name(HELD))),
        HeldGroupsStatement::read);
  }

  private static CommonTableExpression<?> running() {
    Table<?> permit =
        select(JOBS.LIMIT_NAME, JOBS.GROUP_KEY)
            .from(JOBS)
            .where(JobPredicates.RUNNING)
            .and(JOBS.LIMIT_NAME.isNotNull())
            .limit(inline(ReadBounds.WINDOW))
            .asTable("permit");
    Field<String> limit = LooseScan.of("permit", JOBS.LIMIT_NAME);
    Field<String> group = LooseScan.of("permit", JOBS.GROUP_KEY);
    return name("running")
        .asMaterialized(
            select(limit, group, count().as("jobs")).from(permit).groupBy(limit, group));
  }

  private static CommonTableExpression<?> held() {
    Field<String> limit = LooseScan.of("running", JOBS.LIMIT_NAME);
    Field<String> group = LooseScan.of("running", JOBS.GROUP_KEY);
    Field<Integer> jobs = field(name("running", "jobs"), Integer.class);
    Field<Integer> most = coalesce(JOB_GROUPS.MAX_RUNNING, JOB_LIMITS.MAX_RUNNING_PER_GROUP);
    return name(HELD)
        .asMaterialized(
            select(JOB_QUEUES.QUEUE, group, jobs.as("jobs"), most.as("most"))
                .from(JOB_QUEUES)
                .join(JOB_LIMITS)
                .on(JOB_LIMITS.NAME.eq(JOB_QUEUES.LIMIT_NAME))
                .join(table(name("running")))
                .on(limit.eq(JOB_QUEUES.LIMIT_NAME))
                .leftJoin(JOB_GROUPS)
                .on(JOB_GROUPS.QUEUE.eq(JOB_QUEUES.QUEUE))
                .and(JOB_GROUPS.GROUP_KEY.eq(group))
                .where(LimitedQueuesStatement.SERVED)
                .and(JOB_GROUPS.PAUSED_AT.isNull())
                .and(jobs.ge(most))
                .unionAll(
                    select(
                            JOB_QUEUES.QUEUE,
                            JOB_GROUPS.GROUP_KEY,
                            inline(0),
                            when(JOB_GROUPS.PAUSED_AT.isNull(), inline(0)))
                        .from(JOB_GROUPS)
                        .join(JOB_QUEUES)
                        .on(JOB_QUEUES.QUEUE.eq(JOB_GROUPS.QUEUE))
                        .where(LimitedQueuesStatement.SERVED)
                        .and(
                            JOB_GROUPS
                                .PAUSED_AT
                                .isNotNull()
                                .or(
                                    JOB_GROUPS
                                        .MAX_RUNNING
                                        .eq(inline(0))
                                        .and(JOB_QUEUES.LIMIT_NAME.isNotNull()))))
                .limit(inline(ReadBounds.JOB_GROUPS)));
  }

  private static Field<Integer> dueOfGroup() {
    return dueOfGroup(QUEUE, GROUP);
  }

  /** Counts the due jobs of a group, with the help of the CTE {@code lane}. */
  static Field<Integer> dueOfGroup(Field<String> queue, Field<String> group) {
    Table<?> job =
        selectOne()
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(LooseScan.of("lane", JOBS.QUEUE)))
            .and(JOBS.PRIORITY.eq(LooseScan.of("lane", JOBS.PRIORITY)))
            .and(JOBS.GROUP_KEY.isNotNull())
            .and(JOBS.GROUP_KEY.eq(group))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .limit(inline(HeldLane.DUE_COUNTED))
            .asTable("job");
    return counted(job, queue);
  }

  private static Field<Integer> dueWithoutGroup() {
    return dueWithoutGroup(QUEUE);
  }

  /** Counts the due jobs without a group, with the help of the CTE {@code lane}. */
  static Field<Integer> dueWithoutGroup(Field<String> queue) {
    Table<?> first =
        select(JOBS.GROUP_KEY)
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(LooseScan.of("lane", JOBS.QUEUE)))
            .and(JOBS.PRIORITY.eq(LooseScan.of("lane", JOBS.PRIORITY)))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(inline(ReadBounds.EXACT))
            .asTable("first");
    return counted(
        selectOne()
            .from(first)
            .where(LooseScan.of("first", JOBS.GROUP_KEY).isNull())
            .limit(inline(HeldLane.DUE_COUNTED))
            .asTable("job"),
        queue);
  }

  private static Field<Integer> counted(Table<?> jobsOfLane, Field<String> queue) {
    return field(
        selectCount()
            .from(
                selectOne()
                    .from(table(name("lane")))
                    .crossJoin(lateral(jobsOfLane))
                    .where(LooseScan.of("lane", JOBS.QUEUE).eq(queue))
                    .limit(inline(HeldLane.DUE_COUNTED))
                    .asTable("due_jobs")));
  }

  private static Group read(Row row) throws SQLException {
    return new Group(
        row.text(QUEUE),
        row.textOrNull(GROUP),
        row.integer(RUNNING),
        row.integerOrNull(MOST),
        row.integer(DUE));
  }
}
