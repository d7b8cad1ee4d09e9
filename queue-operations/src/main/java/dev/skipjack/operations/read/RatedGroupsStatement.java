package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.nullif;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.substring;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LimitColumns;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists the groups whose starts are remembered, with the use of their rate and the number of their
 * due jobs.
 *
 * <pre>{@code
 * WITH RECURSIVE lane AS (lanes of all queues),
 * used AS (SELECT * FROM (SELECT limit_name, group_key FROM job_rate_uses ORDER BY limit_name, group_key LIMIT 1) AS first
 *          UNION ALL
 *          SELECT next.* FROM used CROSS JOIN LATERAL (
 *                 SELECT limit_name, group_key FROM job_rate_uses WHERE (limit_name, group_key) > (used.limit_name, used.group_key)
 *                  ORDER BY limit_name, group_key LIMIT 1) AS next),
 * rated AS MATERIALIZED (SELECT * FROM used WHERE group_key <> '' LIMIT 1000)
 * SELECT queue, limit_name, nullif(substring(group_key from 2), ''), ..., (when its rate opens, see RateLimit), running, due
 *   FROM rated JOIN job_limits ON name = limit_name JOIN job_queues USING (limit_name)
 *  WHERE NOT <paused now>
 * }</pre>
 *
 * <p>The key of a group is its name after a slash, so jobs without a group have the key {@code /},
 * and the empty key is that of the whole limit. Locks nothing.
 */
final class RatedGroupsStatement {

  private static final Field<String> USED_LIMIT = LooseScan.of("used", JOB_RATE_USES.LIMIT_NAME);
  private static final Field<String> USED_KEY = LooseScan.of("used", JOB_RATE_USES.GROUP_KEY);
  private static final Field<String> LIMIT = LooseScan.of("rated", JOB_RATE_USES.LIMIT_NAME);
  private static final Field<String> KEY = LooseScan.of("rated", JOB_RATE_USES.GROUP_KEY);
  private static final Field<String> NAME = nullif(substring(KEY, inline(2)), inline(""));
  private static final Field<String> GROUP = NAME.as("group_key");
  private static final Field<Integer> RUNNING = field(name("running"), Integer.class);
  private static final Field<Integer> DUE = field(name("due"), Integer.class);
  private static final Field<Instant> OPENS_AT = field(name("opens_at"), SQLDataType.INSTANT);

  private RatedGroupsStatement() {}

  /**
   * A group.
   *
   * @param group null for the jobs without a group
   * @param running the number of its running jobs under the limit
   * @param most the number of starts that its rate allows in a period; null if it has no rate
   * @param opensAt when its rate or a throttle allows the next start; null if it allows one now
   * @param due the number of due jobs, up to {@link HeldLane#DUE_COUNTED}
   */
  record Group(
      String queue,
      String limit,
      @Nullable String group,
      int running,
      @Nullable Integer most,
      @Nullable Instant opensAt,
      int due) {}

  static Statement<NoRequest, Group> of(DSLContext dialect) {
    CommonTableExpression<?> rated =
        name("rated")
            .asMaterialized(
                select(USED_LIMIT, USED_KEY)
                    .from(table(name("used")))
                    .where(USED_KEY.ne(inline(RateLimit.WHOLE_LIMIT)))
                    .limit(inline(ReadBounds.JOB_GROUPS)));
    return Statement.of(
        dialect,
        withRecursive(LooseScan.lanes("lane"), used(), rated)
            .select(JOB_QUEUES.QUEUE, JOB_LIMITS.NAME, GROUP)
            .select(LimitColumns.ALL)
            .select(
                RateLimit.OF_ROW.opensAt(RateLimit.isPerGroup(), KEY).as(OPENS_AT),
                running().as(RUNNING),
                when(NAME.isNull(), HeldGroupsStatement.dueWithoutGroup(JOB_QUEUES.QUEUE))
                    .otherwise(HeldGroupsStatement.dueOfGroup(JOB_QUEUES.QUEUE, NAME))
                    .as(DUE))
            .from(rated)
            .join(JOB_LIMITS)
            .on(JOB_LIMITS.NAME.eq(LIMIT))
            .join(JOB_QUEUES)
            .on(JOB_QUEUES.LIMIT_NAME.eq(JOB_LIMITS.NAME))
            .where(LimitedQueuesStatement.SERVED),
        RatedGroupsStatement::read);
  }

  private static CommonTableExpression<?> used() {
    Table<?> first = key(JOB_RATE_USES.LIMIT_NAME.isNotNull()).asTable("first");
    Table<?> next =
        key(row(JOB_RATE_USES.LIMIT_NAME, JOB_RATE_USES.GROUP_KEY).gt(row(USED_LIMIT, USED_KEY)))
            .asTable("next");
    return name("used")
        .fields(
            new String[] {JOB_RATE_USES.LIMIT_NAME.getName(), JOB_RATE_USES.GROUP_KEY.getName()})
        .as(
            select(first.fields())
                .from(first)
                .unionAll(
                    select(next.fields()).from(table(name("used"))).crossJoin(lateral(next))));
  }

  private static Select<Record2<String, String>> key(Condition which) {
    return select(JOB_RATE_USES.LIMIT_NAME, JOB_RATE_USES.GROUP_KEY)
        .from(JOB_RATE_USES)
        .where(which)
        .orderBy(JOB_RATE_USES.LIMIT_NAME, JOB_RATE_USES.GROUP_KEY, JOB_RATE_USES.ID)
        .limit(inline(1));
  }

  private static Field<Integer> running() {
    Condition ofGroup = JOBS.GROUP_KEY.eq(NAME).or(NAME.isNull().and(JOBS.GROUP_KEY.isNull()));
    return field(
        selectCount()
            .from(
                selectOne()
                    .from(JOBS)
                    .where(JobPredicates.RUNNING)
                    .and(JOBS.LIMIT_NAME.eq(JOB_LIMITS.NAME))
                    .and(ofGroup)
                    .limit(inline(ReadBounds.EXACT))
                    .asTable("permit")));
  }

  private static Group read(Row row) throws SQLException {
    Limit numbers = LimitColumns.read(row);
    @Nullable Rate rate = numbers.rate().filter(Rate::isPerGroup).orElse(null);
    return new Group(
        row.text(JOB_QUEUES.QUEUE),
        row.text(JOB_LIMITS.NAME),
        row.textOrNull(GROUP),
        row.integer(RUNNING),
        rate == null ? null : rate.count(),
        row.instantOrNull(OPENS_AT),
        row.integer(DUE));
  }
}
