package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.sql.Existence;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists limits and settings of groups that have no effect.
 *
 * <pre>{@code
 * SELECT name, NULL, NULL FROM job_limits WHERE NOT EXISTS (SELECT 1 FROM job_queues WHERE limit_name = name)
 * UNION ALL
 * SELECT NULL, queue, group_key FROM job_groups LEFT JOIN job_queues USING (queue)
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

  private LimitSettingsStatement() {}

  /**
   * Settings without an effect.
   *
   * @param limit the limit that no queue obeys; null for settings of a group
   * @param queue the queue of the group; null for a limit
   * @param group the group whose settings workers do not read; null for a limit
   */
  record Facts(@Nullable String limit, @Nullable String queue, @Nullable String group) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(
                JOB_LIMITS.NAME.cast(SQLDataType.CLOB).as(LIMIT),
                castNull(SQLDataType.CLOB).as(QUEUE),
                castNull(SQLDataType.CLOB).as(GROUP))
            .from(JOB_LIMITS)
            .where(
                Existence.notExists(
                    selectOne().from(JOB_QUEUES).where(JOB_QUEUES.LIMIT_NAME.eq(JOB_LIMITS.NAME))))
            .unionAll(
                select(
                        castNull(SQLDataType.CLOB),
                        JOB_GROUPS.QUEUE.cast(SQLDataType.CLOB),
                        JOB_GROUPS.GROUP_KEY.cast(SQLDataType.CLOB))
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
        row -> new Facts(row.textOrNull(LIMIT), row.textOrNull(QUEUE), row.textOrNull(GROUP)));
  }
}
