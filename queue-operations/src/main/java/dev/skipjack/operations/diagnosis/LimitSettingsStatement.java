package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Existence;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists limits whose rate allows no start for a long time, and limits and settings of groups that
 * have no effect.
 *
 * <pre>{@code
 * SELECT name, NULL, NULL, full_at FROM job_limits CROSS JOIN LATERAL (
 *        SELECT full_at FROM job_rate_uses WHERE limit_name = name AND group_key = '' ORDER BY id DESC LIMIT 1) AS newest
 *  WHERE full_at > now() + <an hour and the time in which an empty bucket is filled>
 * UNION ALL
 * SELECT name, NULL, NULL, NULL FROM job_limits WHERE NOT EXISTS (SELECT 1 FROM job_queues WHERE limit_name = name)
 * UNION ALL
 * SELECT NULL, queue, group_key, NULL FROM job_groups LEFT JOIN job_queues USING (queue)
 *  WHERE limit_name IS NULL AND (max_running IS NOT NULL OR (<no such queue> OR NOT fair) AND (paused_at IS NOT NULL OR weight <> 1))
 * LIMIT 1001
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class LimitSettingsStatement {

  /** The bound of the list. A list of this length means that there may be more. */
  static final int WINDOW = 1_001;

  private static final Field<String> LIMIT = field(name("limit_name"), SQLDataType.CLOB);
  private static final Field<String> QUEUE = field(name("queue"), SQLDataType.CLOB);
  private static final Field<String> GROUP = field(name("group_key"), SQLDataType.CLOB);
  private static final Field<Instant> CLOSED_UNTIL = field(name("full_at"), SQLDataType.INSTANT);

  /**
   * After a burst, a bucket is full again within the time that is added to the hour. If it takes
   * longer, there is a throttle, or the clock was set back.
   */
  private static final Condition IS_LONG =
      field(name("newest", "full_at"), SQLDataType.INSTANT)
          .gt(
              DatabaseClock.plusMicros(
                  DatabaseClock.TRANSACTION_START,
                  coalesce(
                          coalesce(JOB_LIMITS.RATE_BURST, JOB_LIMITS.RATE_COUNT)
                              .cast(SQLDataType.BIGINT)
                              .mul(RateLimit.interval()),
                          inline(0L))
                      .plus(inline(Duration.ofHours(1).toNanos() / 1_000))));

  private LimitSettingsStatement() {}

  /**
   * A limit whose rate allows no start for a long time, or settings without an effect.
   *
   * @param limit the limit whose rate allows no start, or that no queue obeys; null for settings of
   *     a group
   * @param queue the queue of the group; null for a limit
   * @param group the group whose settings workers do not read; null for a limit
   * @param closedUntil until when the rate of the limit allows no start; null for settings without
   *     an effect
   */
  record Facts(
      @Nullable String limit,
      @Nullable String queue,
      @Nullable String group,
      @Nullable Instant closedUntil) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    Table<?> newest =
        select(JOB_RATE_USES.FULL_AT)
            .from(JOB_RATE_USES)
            .where(JOB_RATE_USES.LIMIT_NAME.eq(JOB_LIMITS.NAME))
            .and(JOB_RATE_USES.GROUP_KEY.eq(inline(RateLimit.WHOLE_LIMIT)))
            .orderBy(JOB_RATE_USES.ID.desc())
            .limit(inline(1))
            .asTable("newest");
    return Statement.of(
        dialect,
        select(
                JOB_LIMITS.NAME.cast(SQLDataType.CLOB).as(LIMIT),
                castNull(SQLDataType.CLOB).as(QUEUE),
                castNull(SQLDataType.CLOB).as(GROUP),
                field(name("newest", "full_at"), SQLDataType.INSTANT).as(CLOSED_UNTIL))
            .from(JOB_LIMITS)
            .crossJoin(lateral(newest))
            .where(IS_LONG)
            .unionAll(
                select(
                        JOB_LIMITS.NAME.cast(SQLDataType.CLOB),
                        castNull(SQLDataType.CLOB),
                        castNull(SQLDataType.CLOB),
                        castNull(SQLDataType.INSTANT))
                    .from(JOB_LIMITS)
                    .where(
                        Existence.notExists(
                            selectOne()
                                .from(JOB_QUEUES)
                                .where(JOB_QUEUES.LIMIT_NAME.eq(JOB_LIMITS.NAME)))))
            .unionAll(
                select(
                        castNull(SQLDataType.CLOB),
                        JOB_GROUPS.QUEUE.cast(SQLDataType.CLOB),
                        JOB_GROUPS.GROUP_KEY.cast(SQLDataType.CLOB),
                        castNull(SQLDataType.INSTANT))
                    .from(JOB_GROUPS)
                    .leftJoin(JOB_QUEUES)
                    .on(JOB_QUEUES.QUEUE.eq(JOB_GROUPS.QUEUE))
                    .where(JOB_QUEUES.LIMIT_NAME.isNull())
                    .and(
                        JOB_GROUPS
                            .MAX_RUNNING
                            .isNotNull()
                            .or(
                                JOB_QUEUES
                                    .QUEUE
                                    .isNull()
                                    .or(not(condition(JOB_QUEUES.FAIR)))
                                    .and(
                                        JOB_GROUPS
                                            .PAUSED_AT
                                            .isNotNull()
                                            .or(JOB_GROUPS.WEIGHT.ne(inline(1)))))))
            .limit(inline(WINDOW)),
        row ->
            new Facts(
                row.textOrNull(LIMIT),
                row.textOrNull(QUEUE),
                row.textOrNull(GROUP),
                row.instantOrNull(CLOSED_UNTIL)));
  }
}
