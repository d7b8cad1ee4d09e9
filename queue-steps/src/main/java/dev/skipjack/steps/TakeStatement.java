package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_SIGNALS;
import static dev.skipjack.model.Tables.JOB_STEPS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Takes the oldest signal for which a job waits, and records it as a memo. If there is none and the
 * wait has ended, records that.
 *
 * <pre>{@code
 * WITH held  AS MATERIALIZED (SELECT id, current_execution_id, signals FROM jobs WHERE id = :job_id AND current_execution_id = :execution_id),
 * found AS MATERIALIZED (SELECT id, payload, sent_by, link_id FROM job_signals
 *                         WHERE address = :address AND name = :name AND taken_by_job IS NULL AND expires_at > now()
 *                         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED),
 * memo  AS (INSERT INTO job_steps (...) SELECT ... FROM held CROSS JOIN open LEFT JOIN found ON true
 *            WHERE found.id IS NOT NULL OR open.ends_at <= clock_timestamp() ON CONFLICT DO NOTHING RETURNING name),
 * taken AS (DELETE FROM job_signals
 *            WHERE id = ANY (ARRAY(SELECT id FROM found WHERE link_id IS NULL)) AND EXISTS (SELECT 1 FROM memo) RETURNING id),
 * used  AS (UPDATE job_signals SET taken_by_job = :job_id, taken_at = clock_timestamp()
 *            WHERE id = ANY (ARRAY(SELECT id FROM found WHERE link_id IS NOT NULL)) AND EXISTS (SELECT 1 FROM memo) RETURNING id),
 * ended AS (DELETE FROM job_waits WHERE address = :address AND name = :name AND job_id = :job_id AND EXISTS (SELECT 1 FROM memo) RETURNING job_id)
 * SELECT held.signals, found.payload, EXISTS (SELECT 1 FROM memo), open.ends_at FROM held LEFT JOIN open ON true LEFT JOIN found ON true
 * }</pre>
 *
 * <p>{@code open} is the wait: {@code SELECT ends_at FROM job_waits WHERE (its key)}. Everything is
 * read in one snapshot, so {@code signals} counts each signal that could be found. Returns no row
 * if the execution has lost the job.
 *
 * <p>The memo contains what was sent and by whom. The row of a signed link is kept, so that the
 * link cannot be used again.
 *
 * <p>Locks the signal, and skips one that another job is taking.
 */
final class TakeStatement {

  private static final Param<Long> JOB_ID = param("job_id", Long.class);
  private static final Param<Long> EXECUTION_ID = param("execution_id", Long.class);
  private static final Field<String> ADDRESS = Texts.param("address");
  private static final Field<String> SIGNAL = Texts.param("name");

  private static final Field<Integer> SIGNALS = field(name("held", "signals"), Integer.class);
  private static final Field<Long> FOUND_ID = field(name("found", "id"), Long.class);
  private static final Field<String> LINK_ID = field(name("found", "link_id"), String.class);
  private static final Field<Instant> ENDS_AT = field(name("open", "ends_at"), SQLDataType.INSTANT);
  private static final Field<String> PAYLOAD =
      cast(field(name("found", "payload"), JSONB.class), SQLDataType.CLOB).as("payload");
  private static final Field<Boolean> IS_DONE =
      field(exists(selectOne().from(name("memo")))).as("is_done");

  private TakeStatement() {}

  /** A job that looks for a signal. */
  record Request(Execution execution, String address, String name, int position) {}

  /**
   * What was found.
   *
   * @param signals the number of signals that were sent to the job; null if none was
   * @param payload the payload of the signal; null if there is none
   * @param isDone whether the signal, or the end of the wait, was recorded
   * @param endsAt when the wait ends; null if there is no open wait
   */
  record Look(
      @Nullable Integer signals,
      @Nullable String payload,
      boolean isDone,
      @Nullable Instant endsAt) {}

  static Statement<Request, Look> of(DSLContext dialect) {
    CommonTableExpression<?> held =
        name("held")
            .asMaterialized(
                select(JOBS.ID, JOBS.CURRENT_EXECUTION_ID, JOBS.SIGNALS)
                    .from(JOBS)
                    .where(JOBS.ID.eq(JOB_ID))
                    .and(JOBS.CURRENT_EXECUTION_ID.eq(EXECUTION_ID)));
    CommonTableExpression<?> open =
        name("open").asMaterialized(select(JOB_WAITS.ENDS_AT).from(JOB_WAITS).where(isOpen()));
    CommonTableExpression<?> found =
        name("found")
            .asMaterialized(
                select(
                        JOB_SIGNALS.ID,
                        JOB_SIGNALS.PAYLOAD,
                        JOB_SIGNALS.SENT_BY,
                        JOB_SIGNALS.LINK_ID)
                    .from(JOB_SIGNALS)
                    .where(JOB_SIGNALS.ADDRESS.eq(ADDRESS))
                    .and(JOB_SIGNALS.NAME.eq(SIGNAL))
                    .and(JOB_SIGNALS.TAKEN_BY_JOB.isNull())
                    .and(JOB_SIGNALS.EXPIRES_AT.gt(DatabaseClock.TRANSACTION_START))
                    .orderBy(JOB_SIGNALS.ID)
                    .limit(inline(1))
                    .forUpdate()
                    .skipLocked());
    CommonTableExpression<?> memo = memo(held, open, found);
    CommonTableExpression<?> taken =
        name("taken")
            .as(
                deleteFrom(JOB_SIGNALS)
                    .where(isTaken(found, LINK_ID.isNull(), memo))
                    .returning(JOB_SIGNALS.ID));
    CommonTableExpression<?> used =
        name("used")
            .as(
                update(JOB_SIGNALS)
                    .set(JOB_SIGNALS.TAKEN_BY_JOB, JOB_ID)
                    .set(JOB_SIGNALS.TAKEN_AT, DatabaseClock.NOW)
                    .where(isTaken(found, LINK_ID.isNotNull(), memo))
                    .returning(JOB_SIGNALS.ID));
    CommonTableExpression<?> ended =
        name("ended")
            .as(
                deleteFrom(JOB_WAITS)
                    .where(isOpen())
                    .and(exists(selectOne().from(memo)))
                    .returning(JOB_WAITS.JOB_ID));
    return Statement.of(
        dialect,
        with(held, open, found, memo, taken, used, ended)
            .select(SIGNALS, PAYLOAD, IS_DONE, ENDS_AT)
            .from(held)
            .leftJoin(open)
            .on(trueCondition())
            .leftJoin(found)
            .on(trueCondition()),
        TakeStatement::arguments,
        TakeStatement::read);
  }

  private static CommonTableExpression<?> memo(Table<?> held, Table<?> open, Table<?> found) {
    return name("memo")
        .as(
            insertInto(
                    JOB_STEPS,
                    JOB_STEPS.JOB_ID,
                    JOB_STEPS.EXECUTION_ID,
                    JOB_STEPS.POSITION,
                    JOB_STEPS.TYPE,
                    JOB_STEPS.NAME,
                    JOB_STEPS.SENT_BY,
                    JOB_STEPS.RESULT)
                .select(
                    select(
                            field(name("held", "id"), Long.class),
                            field(name("held", "current_execution_id"), Long.class),
                            param("position", Integer.class),
                            inline(Memo.Type.AWAIT.literal(), JOB_STEPS.TYPE),
                            SIGNAL,
                            field(name("found", "sent_by"), String.class),
                            field(name("found", "payload"), JSONB.class))
                        .from(held)
                        .crossJoin(open)
                        .leftJoin(found)
                        .on(trueCondition())
                        .where(FOUND_ID.isNotNull())
                        .or(ENDS_AT.le(DatabaseClock.NOW)))
                .onConflictDoNothing()
                .returning(JOB_STEPS.NAME));
  }

  /**
   * A condition on the link of the row itself could let the planner read the index of the links.
   */
  private static Condition isTaken(Table<?> found, Condition link, Table<?> memo) {
    return JOB_SIGNALS
        .ID
        .eq(any(array(select(FOUND_ID).from(found).where(link))))
        .and(exists(selectOne().from(memo)));
  }

  private static Condition isOpen() {
    return JOB_WAITS
        .ADDRESS
        .eq(ADDRESS)
        .and(JOB_WAITS.NAME.eq(SIGNAL))
        .and(JOB_WAITS.JOB_ID.eq(JOB_ID));
  }

  private static Arguments arguments(Request request) {
    return new Arguments()
        .number("job_id", request.execution().jobId().value())
        .number("execution_id", request.execution().id().value())
        .text("address", request.address())
        .text("name", request.name())
        .integer("position", request.position());
  }

  private static Look read(Row row) throws SQLException {
    return new Look(
        row.integerOrNull(SIGNALS),
        row.textOrNull(PAYLOAD),
        row.flag(IS_DONE),
        row.instantOrNull(ENDS_AT));
  }
}
