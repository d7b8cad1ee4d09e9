package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.LimitLock;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Duration;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Stops further starts under a limit, or of one of its groups, for a while.
 *
 * <pre>{@code
 * SELECT limit_name, group_key, rate_per_group FROM jobs JOIN job_limits ON name = limit_name WHERE id = :id AND current_execution_id = :execution
 * SELECT pg_advisory_xact_lock(hashtextextended(:limit, 1))
 * INSERT INTO job_rate_uses (limit_name, group_key, taken, full_at)
 * SELECT name, :key, 0, GREATEST(<full_at of the newest row>, clock_timestamp() + :delay + <the time in which a burst of the bucket is used up>)
 *   FROM job_limits WHERE name = :limit
 * }</pre>
 *
 * <p>The row is added while no claim under the limit runs. Otherwise, a claim that has read the row
 * before it could add a later one and open the rate again. A token bucket opens with one token, not
 * with a burst.
 *
 * <p>Waits for the claims that have begun ({@link LimitLock}). Later ones pass over the limit, so
 * they cannot delay this statement, however many there are. A lock of the limit's row would be
 * taken again and again by claims that began later. Locks nothing else.
 */
final class ThrottleStatement {

  private static final Param<Long> ID = param("id", Long.class);
  private static final Param<Long> EXECUTION = param("execution", Long.class);
  private static final Field<String> LIMIT = Texts.param("limit");
  private static final Param<Long> DELAY = param("delay", Long.class);
  private static final Field<String> NEW_KEY = Texts.param("key");

  /**
   * The limit under which a job runs.
   *
   * @param group the group of the job; null if it has none
   * @param isPerGroup whether each group has a rate of its own
   */
  record Bound(String limit, @Nullable String group, boolean isPerGroup) {

    /**
     * Returns the key of the rate to throttle, as {@link RateLimit#keyOf} returns it for a group.
     */
    String key(boolean ofGroup) {
      return ofGroup ? "/" + (group == null ? "" : group) : "";
    }
  }

  /**
   * A throttle.
   *
   * @param ofGroup whether to throttle only the group
   */
  record Request(Bound bound, boolean ofGroup, Duration delay) {}

  private ThrottleStatement() {}

  /** Creates the statement that finds the limit of a running job. */
  static Statement<Execution, Bound> ofLimit(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOBS.LIMIT_NAME, JOBS.GROUP_KEY, JOB_LIMITS.RATE_PER_GROUP)
            .from(JOBS)
            .join(JOB_LIMITS)
            .on(JOB_LIMITS.NAME.eq(JOBS.LIMIT_NAME))
            .where(JOBS.ID.eq(ID))
            .and(JOBS.CURRENT_EXECUTION_ID.eq(EXECUTION)),
        execution ->
            new Arguments()
                .number("id", execution.jobId().value())
                .number("execution", execution.id().value()),
        row ->
            new Bound(
                row.text(JOBS.LIMIT_NAME),
                row.textOrNull(JOBS.GROUP_KEY),
                row.isTrue(JOB_LIMITS.RATE_PER_GROUP)));
  }

  /** Creates the statement that locks the limit. The text of its row is empty. */
  static Statement<Request, String> lock(DSLContext dialect) {
    Field<?> locked = LimitLock.taken(LIMIT).cast(SQLDataType.CLOB);
    return Statement.of(
        dialect,
        select(locked.as("locked")),
        request -> new Arguments().text("limit", request.bound().limit()),
        row -> "");
  }

  /** Creates the statement that adds the row. */
  static Statement<Request, Long> of(DSLContext dialect) {
    Field<Instant> newest =
        field(
            select(JOB_RATE_USES.FULL_AT)
                .from(JOB_RATE_USES)
                .where(JOB_RATE_USES.LIMIT_NAME.eq(LIMIT))
                .and(JOB_RATE_USES.GROUP_KEY.eq(NEW_KEY))
                .orderBy(JOB_RATE_USES.ID.desc())
                .limit(inline(1)));
    Field<Long> burst =
        coalesce(JOB_LIMITS.RATE_BURST, JOB_LIMITS.RATE_COUNT).cast(SQLDataType.BIGINT);
    Field<Long> slack =
        when(
                JOB_LIMITS
                    .RATE_COUNT
                    .isNotNull()
                    .and(condition("{0} = 'bucket'", JOB_LIMITS.RATE_KIND))
                    .and(
                        JOB_LIMITS
                            .RATE_PER_GROUP
                            .isTrue()
                            .and(NEW_KEY.ne(inline("")))
                            .or(JOB_LIMITS.RATE_PER_GROUP.isFalse().and(NEW_KEY.eq(inline(""))))),
                burst.minus(inline(1L)).mul(RateLimit.interval()))
            .otherwise(inline(0L));
    CommonTableExpression<?> added =
        name("added")
            .as(
                insertInto(
                        JOB_RATE_USES,
                        JOB_RATE_USES.LIMIT_NAME,
                        JOB_RATE_USES.GROUP_KEY,
                        JOB_RATE_USES.TAKEN,
                        JOB_RATE_USES.FULL_AT)
                    .select(
                        select(
                                JOB_LIMITS.NAME,
                                NEW_KEY,
                                inline(0),
                                greatest(
                                    newest,
                                    DatabaseClock.plusMicros(DatabaseClock.NOW, DELAY.plus(slack))))
                            .from(JOB_LIMITS)
                            .where(JOB_LIMITS.NAME.eq(LIMIT)))
                    .returning(JOB_RATE_USES.ID));
    return Statement.of(
        dialect,
        with(added).select().from(added),
        request ->
            new Arguments()
                .text("limit", request.bound().limit())
                .text("key", request.bound().key(request.ofGroup()))
                .number("delay", DatabaseClock.micros(request.delay())),
        row -> row.number(JOB_RATE_USES.ID));
  }
}
