package dev.skipjack.steps.internal;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_SIGNALS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.falseCondition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * Makes those suspended jobs due that wait for a signal which was sent, but did not find them: its
 * transaction was open while the wait began, or more jobs waited for its key than it wakes.
 *
 * <pre>{@code
 * WITH untaken AS MATERIALIZED (SELECT address, name, id FROM job_signals
 *                                WHERE taken_by_job IS NULL AND (address, name, id) > (:address, :name, :id)
 *                                ORDER BY address, name, id LIMIT 1000),
 * waiting AS MATERIALIZED (SELECT wait.job_id, wait.name FROM untaken CROSS JOIN LATERAL (
 *                                 SELECT job_id, name FROM job_waits WHERE address = untaken.address AND name = untaken.name
 *                                  ORDER BY job_id LIMIT 100) AS wait),
 * locked AS MATERIALIZED (SELECT id FROM jobs WHERE id = ANY (ARRAY(SELECT job_id FROM waiting))
 *                            AND current_execution_id IS NULL AND died_at IS NULL AND awaits = ANY (ARRAY(SELECT name FROM waiting))
 *                            AND scheduled_at > clock_timestamp()
 *                          ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * woken AS (UPDATE jobs SET scheduled_at = clock_timestamp(), signals = coalesce(signals, 0) % 2147483647 + 1, updated_at = clock_timestamp()
 *            WHERE id = ANY (ARRAY(SELECT id FROM locked)) RETURNING ...)
 * SELECT walked.*, woken.* FROM (SELECT count(*), ... FROM untaken) AS walked LEFT JOIN woken ON true
 * }</pre>
 *
 * <p>A second text is for the signals of one address and name. A sender runs it after its commit.
 * It also counts the signal for jobs that run, whose attempts may have looked before that commit.
 *
 * <p>Workers are not notified, so one finds the job with its next poll, unless this worker serves
 * its queue. Locks rows in the order of their ids, and waits for none.
 */
public final class WakeWaitingStatement {

  /** The number of signals that a sweep reads. */
  static final int WINDOW = 1_000;

  private static final int MOST_WAITING = 100;

  private static final Field<String> ADDRESS = Texts.param("address");
  private static final Field<String> SIGNAL = Texts.param("name");
  private static final Param<Long> AFTER = param("id", Long.class);

  private static final Field<Integer> WALKED = field(name("walked", "signals"), Integer.class);
  private static final Field<String> LAST_ADDRESS = field(name("walked", "address"), String.class);
  private static final Field<String> LAST_NAME = field(name("walked", "name"), String.class);
  private static final Field<Long> LAST_ID = field(name("walked", "id"), Long.class);
  private static final Field<String> QUEUE = field(name("woken", "queue"), String.class);
  private static final Field<Short> PRIORITY = field(name("woken", "priority"), Short.class);
  private static final Field<String> KIND = field(name("woken", "kind"), String.class);
  private static final Field<Long> EXECUTION =
      field(name("woken", "current_execution_id"), Long.class);

  private WakeWaitingStatement() {}

  /**
   * The signals to search for.
   *
   * @param id the signal after which a sweep continues; 0 for all of the address and name
   */
  public record Request(String address, String name, long id) {

    /** The start of a walk through all signals. */
    static final Request START = new Request("", "", 0);
  }

  /**
   * One job that was made due, and how far the walk got. A walk that made no job due returns one
   * row without a job.
   *
   * @param walked the number of signals that were read
   * @param last the last of them; null if there were none
   * @param job the job that was made due; null if there was none
   */
  public record Woken(int walked, @Nullable Request last, @Nullable WakeUp job) {}

  /** Creates the statement that walks through the signals that no job has taken. */
  static Statement<Request, Woken> ofAll(DSLContext dialect) {
    return of(
        dialect,
        row(JOB_SIGNALS.ADDRESS, JOB_SIGNALS.NAME, JOB_SIGNALS.ID).gt(ADDRESS, SIGNAL, AFTER),
        falseCondition());
  }

  /** Creates the statement for the signals of one address and name. */
  public static Statement<Request, Woken> ofOne(DSLContext dialect) {
    return of(
        dialect,
        JOB_SIGNALS
            .ADDRESS
            .eq(ADDRESS)
            .and(JOB_SIGNALS.NAME.eq(SIGNAL))
            .and(JOB_SIGNALS.ID.gt(AFTER)),
        JOBS.CURRENT_EXECUTION_ID.isNotNull());
  }

  private static Statement<Request, Woken> of(
      DSLContext dialect, Condition which, Condition alsoIfRunning) {
    CommonTableExpression<?> untaken =
        name("untaken")
            .asMaterialized(
                select(JOB_SIGNALS.ADDRESS, JOB_SIGNALS.NAME, JOB_SIGNALS.ID)
                    .from(JOB_SIGNALS)
                    .where(JOB_SIGNALS.TAKEN_BY_JOB.isNull())
                    .and(which)
                    .orderBy(JOB_SIGNALS.ADDRESS, JOB_SIGNALS.NAME, JOB_SIGNALS.ID)
                    .limit(inline(WINDOW)));
    Table<?> wait =
        select(JOB_WAITS.JOB_ID, JOB_WAITS.NAME)
            .from(JOB_WAITS)
            .where(JOB_WAITS.ADDRESS.eq(field(name("untaken", "address"), String.class)))
            .and(JOB_WAITS.NAME.eq(field(name("untaken", "name"), String.class)))
            .orderBy(JOB_WAITS.JOB_ID)
            .limit(inline(MOST_WAITING))
            .asTable("wait");
    CommonTableExpression<?> waiting =
        name("waiting")
            .asMaterialized(
                select(
                        field(name("wait", "job_id"), Long.class),
                        field(name("wait", "name"), String.class))
                    .from(untaken)
                    .crossJoin(lateral(wait)));
    CommonTableExpression<?> locked =
        name("locked")
            .asMaterialized(
                select(JOBS.ID)
                    .from(JOBS)
                    .where(
                        JOBS.ID.eq(
                            any(array(select(field(name("job_id"), Long.class)).from(waiting)))))
                    .and(isSuspended(waiting).or(alsoIfRunning))
                    .orderBy(JOBS.ID)
                    .forNoKeyUpdate()
                    .skipLocked());
    CommonTableExpression<?> woken =
        name("woken")
            .as(
                update(JOBS)
                    .set(
                        JOBS.SCHEDULED_AT,
                        when(JOBS.CURRENT_EXECUTION_ID.isNull(), DatabaseClock.NOW)
                            .otherwise(JOBS.SCHEDULED_AT))
                    .set(
                        JOBS.SIGNALS,
                        coalesce(JOBS.SIGNALS, inline(0))
                            .mod(inline(Integer.MAX_VALUE))
                            .plus(inline(1)))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .where(
                        JOBS.ID.eq(
                            any(
                                array(
                                    select(field(name("locked", "id"), Long.class)).from(locked)))))
                    .returning(JOBS.QUEUE, JOBS.PRIORITY, JOBS.KIND, JOBS.CURRENT_EXECUTION_ID));
    Table<?> walked =
        select(
                count().as("signals"),
                last(untaken, "address", String.class),
                last(untaken, "name", String.class),
                last(untaken, "id", Long.class))
            .from(untaken)
            .asTable("walked");
    return Statement.of(
        dialect,
        with(untaken, waiting, locked, woken)
            .select(WALKED, LAST_ADDRESS, LAST_NAME, LAST_ID, QUEUE, PRIORITY, KIND, EXECUTION)
            .from(walked)
            .leftJoin(woken)
            .on(trueCondition()),
        request ->
            new Arguments()
                .text("address", request.address())
                .text("name", request.name())
                .number("id", request.id()),
        WakeWaitingStatement::read);
  }

  /**
   * Returns the condition that a job is suspended at what it waits for. It does not contain the
   * status, because the planner could read the whole index of pending jobs then.
   */
  private static Condition isSuspended(Table<?> waiting) {
    return JOBS.CURRENT_EXECUTION_ID
        .isNull()
        .and(JOBS.DIED_AT.isNull())
        .and(JOBS.AWAITS.eq(any(array(select(field(name("name"), String.class)).from(waiting)))))
        .and(JOBS.SCHEDULED_AT.gt(DatabaseClock.NOW));
  }

  private static <T> Field<T> last(Table<?> untaken, String column, Class<T> type) {
    return field(
            select(field(name("untaken", column), type))
                .from(untaken)
                .orderBy(
                    field(name("untaken", "address")).desc(),
                    field(name("untaken", "name")).desc(),
                    field(name("untaken", "id")).desc())
                .limit(inline(1)))
        .as(column);
  }

  private static Woken read(Row row) throws SQLException {
    String address = row.textOrNull(LAST_ADDRESS);
    String queue = row.textOrNull(QUEUE);
    return new Woken(
        row.integer(WALKED),
        address == null ? null : new Request(address, row.text(LAST_NAME), row.number(LAST_ID)),
        queue == null ? null : new WakeUp(new Lane(queue, row.integer(PRIORITY)), row.text(KIND)));
  }
}
