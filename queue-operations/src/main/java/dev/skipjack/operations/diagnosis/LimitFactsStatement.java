package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.operations.Limit;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LimitColumns;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.sql.Timestamps;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads which starts the limit of a queue and the settings of the job's group allow. Returns no row
 * if the queue is neither fair nor limited.
 *
 * <pre>{@code
 * SELECT limit_name, max_running, ..., weight, job_groups.max_running, job_groups.paused_at,
 *        (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'running' AND limit_name = job_queues.limit_name
 *                                LIMIT greatest(10001, max_running)) AS permit),
 *        ARRAY(SELECT id FROM jobs WHERE status = 'running' AND limit_name = job_queues.limit_name
 *               ORDER BY current_execution_id LIMIT 3),
 *        (the same two for the group of the job), (when the rates of both open, see RateLimit),
 *        (SELECT count(*) FROM (the due jobs of the group before the job, at most 10001) AS before)
 *   FROM job_queues LEFT JOIN job_limits ON name = limit_name
 *   LEFT JOIN job_groups ON job_groups.queue = job_queues.queue AND group_key = :group
 *  WHERE queue = :queue AND (fair OR limit_name IS NOT NULL)
 * }</pre>
 *
 * <p>No index contains the pending jobs without a group, so the jobs before such a job are counted
 * among those of its lane. Locks nothing.
 */
final class LimitFactsStatement {

  /** The number of running jobs that are named. */
  static final int NAMED = 3;

  private static final Field<String> QUEUE = Texts.param("queue");
  private static final Field<String> GROUP = Texts.param("group");
  private static final Param<Integer> PRIORITY = param("priority", Integer.class);
  private static final Param<Long> ID = param("id", Long.class);
  private static final Field<Instant> SCHEDULED_AT =
      cast(param("scheduled_at", String.class), SQLDataType.INSTANT);

  private static final Field<Integer> GROUP_MOST = JOB_GROUPS.MAX_RUNNING.as("group_max_running");
  private static final Field<Instant> PAUSED_AT = JOB_GROUPS.PAUSED_AT.as("group_paused_at");
  private static final Field<Integer> RUNNING = field(name("running"), Integer.class);
  private static final Field<String[]> IDS = field(name("ids"), String[].class);
  private static final Field<Integer> RUNNING_OF_GROUP =
      field(name("running_of_group"), Integer.class);
  private static final Field<String[]> IDS_OF_GROUP = field(name("ids_of_group"), String[].class);
  private static final Field<Instant> OPENS_AT = field(name("opens_at"), SQLDataType.INSTANT);
  private static final Field<Instant> GROUP_OPENS_AT =
      field(name("group_opens_at"), SQLDataType.INSTANT);
  private static final Field<Integer> BEFORE = field(name("before_in_group"), Integer.class);

  private LimitFactsStatement() {}

  /**
   * The state of a limit and a group.
   *
   * @param limit the limit of the queue; null if it has none
   * @param numbers the numbers of the limit
   * @param all the running jobs of the limit
   * @param ofGroup those of the job's group
   * @param groupMost the maximum for the group; empty for none
   * @param opensAt when the rate, or a throttle, of the limit or the group allows the next start;
   *     null if both allow one now
   * @param pausedAt when the group was paused; null if it is not paused
   * @param before the number of due jobs of the group that precede the job in its lane, up to
   *     {@link QueueFactsStatement#WINDOW}
   */
  record Facts(
      @Nullable String limit,
      Limit numbers,
      Permits all,
      Permits ofGroup,
      OptionalInt groupMost,
      @Nullable Instant opensAt,
      @Nullable Instant pausedAt,
      int before) {}

  /**
   * The running jobs that count.
   *
   * @param running their number
   * @param first the ids of those that were claimed first, up to {@link #NAMED}
   */
  record Permits(int running, List<String> first) {}

  static Statement<JobFacts, Facts> of(DSLContext dialect) {
    Condition ofLimit = JobPredicates.RUNNING.and(JOBS.LIMIT_NAME.eq(JOB_QUEUES.LIMIT_NAME));
    Condition ofGroup =
        ofLimit.and(JOBS.GROUP_KEY.eq(GROUP).or(GROUP.isNull().and(JOBS.GROUP_KEY.isNull())));
    return Statement.of(
        dialect,
        select(JOB_QUEUES.LIMIT_NAME)
            .select(LimitColumns.ALL)
            .select(
                RateLimit.OF_ROW
                    .opensAt(RateLimit.isOverAll(), inline(RateLimit.WHOLE_LIMIT))
                    .as(OPENS_AT),
                RateLimit.OF_ROW
                    .opensAt(RateLimit.isPerGroup(), RateLimit.keyOf(GROUP))
                    .as(GROUP_OPENS_AT),
                GROUP_MOST,
                PAUSED_AT,
                number(ofLimit).as(RUNNING),
                ids(ofLimit).as(IDS),
                number(ofGroup).as(RUNNING_OF_GROUP),
                ids(ofGroup).as(IDS_OF_GROUP),
                when(GROUP.isNull(), counted(beforeWithoutGroup()))
                    .otherwise(counted(beforeOfGroup()))
                    .as(BEFORE))
            .from(JOB_QUEUES)
            .leftJoin(JOB_LIMITS)
            .on(JOB_LIMITS.NAME.eq(JOB_QUEUES.LIMIT_NAME))
            .leftJoin(JOB_GROUPS)
            .on(JOB_GROUPS.QUEUE.eq(JOB_QUEUES.QUEUE))
            .and(JOB_GROUPS.GROUP_KEY.eq(GROUP))
            .where(JOB_QUEUES.QUEUE.eq(QUEUE))
            .and(condition(JOB_QUEUES.FAIR).or(JOB_QUEUES.LIMIT_NAME.isNotNull())),
        job ->
            new Arguments()
                .text("queue", job.queue())
                .text("group", job.group())
                .integer("priority", job.priority())
                .number("id", job.id().value())
                .text("scheduled_at", Timestamps.text(job.scheduledAt())),
        LimitFactsStatement::read);
  }

  private static Field<Integer> number(Condition permits) {
    return counted(
        selectOne()
            .from(JOBS)
            .where(permits)
            .limit(
                greatest(
                    inline(QueueFactsStatement.WINDOW),
                    JOB_LIMITS.MAX_RUNNING,
                    JOB_LIMITS.MAX_RUNNING_PER_GROUP,
                    JOB_GROUPS.MAX_RUNNING)));
  }

  private static Field<String[]> ids(Condition permits) {
    return array(
        select(JOBS.ID.cast(SQLDataType.CLOB))
            .from(JOBS)
            .where(permits)
            .orderBy(JOBS.CURRENT_EXECUTION_ID)
            .limit(inline(NAMED)));
  }

  private static Select<?> beforeOfGroup() {
    return selectOne()
        .from(JOBS)
        .where(JobPredicates.PENDING)
        .and(JOBS.GROUP_KEY.isNotNull())
        .and(JOBS.GROUP_KEY.eq(GROUP))
        .and(earlier())
        .limit(inline(QueueFactsStatement.WINDOW));
  }

  private static Select<?> beforeWithoutGroup() {
    Table<?> lane =
        select(JOBS.GROUP_KEY)
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(earlier())
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(inline(QueueFactsStatement.WINDOW))
            .asTable("lane");
    return selectOne().from(lane).where(field(name("lane", "group_key")).isNull());
  }

  private static Condition earlier() {
    return JOBS.QUEUE
        .eq(QUEUE)
        .and(JOBS.PRIORITY.eq(PRIORITY.cast(SQLDataType.SMALLINT)))
        .and(row(JOBS.SCHEDULED_AT, JOBS.ID).lt(row(SCHEDULED_AT, ID)));
  }

  private static Field<Integer> counted(Select<?> jobs) {
    return field(selectCount().from(jobs.asTable("counted")));
  }

  private static Facts read(Row row) throws SQLException {
    String limit = row.textOrNull(JOB_QUEUES.LIMIT_NAME);
    Limit numbers = limit == null ? Limit.none() : LimitColumns.read(row);
    Integer groupMost = row.integerOrNull(GROUP_MOST);
    return new Facts(
        limit,
        numbers,
        new Permits(row.integer(RUNNING), row.texts(IDS)),
        new Permits(row.integer(RUNNING_OF_GROUP), row.texts(IDS_OF_GROUP)),
        limit == null || groupMost == null
            ? numbers.maxRunningPerGroup()
            : OptionalInt.of(groupMost),
        later(row.instantOrNull(OPENS_AT), row.instantOrNull(GROUP_OPENS_AT)),
        row.instantOrNull(PAUSED_AT),
        row.integer(BEFORE));
  }

  private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
    return one == null || (other != null && other.isAfter(one)) ? other : one;
  }
}
