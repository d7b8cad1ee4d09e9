package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.octetLength;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.HandedOver;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.ordering.Promotion;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Completes a job with an ordering key and claims the next job of the key for the same worker.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id FROM jobs WHERE id = :job_id AND current_execution_id = :execution_id
 *                               FOR UPDATE SKIP LOCKED),
 * ended    AS (DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM locked)) RETURNING ...),
 * archived AS (INSERT INTO jobs_archive (...) SELECT ... FROM ended ...),
 * closed   AS (UPDATE job_executions SET status = 'succeeded', ...),
 * freed    AS MATERIALIZED (SELECT DISTINCT ordering_key FROM ended WHERE ... AND (SELECT count(*) FROM archived) >= 0
 *                              AND (SELECT count(*) FROM closed) >= 0),
 * next     AS MATERIALIZED (...),
 * unlocked AS MATERIALIZED (SELECT id, queue = :queue AND priority = :priority AND kind = ANY (:kinds) AND scheduled_at <= now()
 *                                      AND attempts - uncounted_attempts < max_attempts
 *                                      AND octet_length(CAST(payload AS text)) <= :longest_payload
 *                                      AND <the queue is neither paused nor fair nor limited> AS is_claimable FROM jobs ... FOR NO KEY UPDATE SKIP LOCKED),
 * claimed  AS (UPDATE jobs SET status = 'running', current_execution_id = nextval('job_execution_id_seq'), ..., ordering_head = true
 *               WHERE id = ANY (ARRAY(SELECT id FROM unlocked WHERE is_claimable)) RETURNING ...),
 * opened   AS (INSERT INTO job_executions (...) SELECT ... FROM claimed),
 * promoted AS (UPDATE jobs SET status = 'pending', ordering_head = true, ...
 *               WHERE id = ANY (ARRAY(SELECT id FROM unlocked WHERE NOT is_claimable)))
 * SELECT verdict, claimed.* FROM (SELECT CASE ... END AS verdict) AS result LEFT JOIN claimed ON true
 * }</pre>
 *
 * <p>{@link CompleteStatement} explains the first parts, {@link Promotion} the choice and the lock
 * of the next job, and {@link ClaimStatement} the rest. The next job becomes running at once, which
 * saves a claim with its commit. Whether it can be claimed depends on the locked version of its
 * row, which includes commands that committed after the snapshot. The two counts make the statement
 * write the history of the first job before it starts the next job. Otherwise the next job's start
 * could precede the first job's end.
 *
 * <p>Lock order: first the head, then the job that waits behind it. The statement waits for none of
 * these locks.
 */
final class HandOverStatement {

  private static final Field<String> QUEUE = Texts.param("queue");
  private static final Param<Short> PRIORITY = param("priority", Short.class);
  private static final Param<String[]> KINDS = Texts.array("kinds");
  private static final Param<Integer> LONGEST_PAYLOAD = param("longest_payload", Integer.class);

  private static final Field<String> VERDICT = field(name("result", "verdict"), String.class);
  private static final Field<Boolean> IS_CLAIMABLE =
      field(name("unlocked", "is_claimable"), Boolean.class);

  private HandOverStatement() {}

  static OutcomeStatement<HandOver, HandedOver> of(DSLContext dialect) {
    return OutcomeStatement.ofOne(HandOver::ended, weeks -> in(dialect, weeks));
  }

  private static Statement<HandOver, HandedOver> in(DSLContext dialect, AuditWeeks weeks) {
    CommonTableExpression<?> locked = CompleteStatement.lockedSingle();
    CommonTableExpression<?> ended =
        CompleteStatement.ended(AttemptCtes.isLocked(locked), EndParts.ORDERED);
    CommonTableExpression<?> archived = Archive.of(ended, JobStatus.COMPLETED, false);
    CommonTableExpression<?> closed = CompleteStatement.closed(ended, weeks);
    CommonTableExpression<?> freed =
        Promotion.freed(ended, isWritten(archived).and(isWritten(closed)));
    CommonTableExpression<?> next = Promotion.next(freed);
    CommonTableExpression<?> unlocked =
        Promotion.unlocked(next, field(isClaimable()).as(IS_CLAIMABLE.getName()));
    CommonTableExpression<?> claimed = claimed(unlocked);
    Table<?> result =
        select(CompleteStatement.verdictOfSingle(ended).as(VERDICT.getName())).asTable("result");
    List<Field<?>> columns = new ArrayList<>();
    columns.add(VERDICT);
    columns.addAll(List.of(claimed.fields()));
    return Statement.of(
        dialect,
        with(locked, ended, archived, closed)
            .with(freed, next, unlocked, claimed, ClaimStatement.opened(claimed, noCondition()))
            .with(Promotion.promoted(isUnlocked(unlocked, IS_CLAIMABLE.isFalse())))
            .select(columns)
            .from(result)
            .leftJoin(claimed)
            .on(trueCondition()),
        HandOverStatement::arguments,
        HandOverStatement::read);
  }

  /** Returns a condition that is always true. Its evaluation runs {@code written} to the end. */
  private static Condition isWritten(Table<?> written) {
    return field(select(count()).from(written)).ge(inline(0));
  }

  private static Condition isClaimable() {
    return JOBS.QUEUE
        .eq(QUEUE)
        .and(JOBS.PRIORITY.eq(PRIORITY))
        .and(JOBS.KIND.eq(any(KINDS)))
        .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
        .and(JOBS.ATTEMPTS.minus(JOBS.UNCOUNTED_ATTEMPTS).lt(JOBS.MAX_ATTEMPTS))
        .and(octetLength(cast(JOBS.PAYLOAD, SQLDataType.CLOB)).le(LONGEST_PAYLOAD))
        .and(ClaimStatement.isServed(QUEUE));
  }

  private static CommonTableExpression<?> claimed(Table<?> unlocked) {
    return name("claimed")
        .as(
            ClaimStatement.begun()
                .set(JOBS.ORDERING_HEAD, inline(true))
                .where(isUnlocked(unlocked, IS_CLAIMABLE.isTrue()))
                .returning(ClaimStatement.returned(JOBS.PAYLOAD)));
  }

  private static Condition isUnlocked(Table<?> unlocked, Condition which) {
    return JOBS.ID.eq(
        any(array(select(field(name("unlocked", "id"), Long.class)).from(unlocked).where(which))));
  }

  private static Arguments arguments(HandOver request) {
    return CompleteStatement.arguments(request.ended())
        .text("queue", request.lane().queue())
        .number("priority", request.lane().priority())
        .texts("kinds", request.kinds(), kind -> kind)
        .integer("longest_payload", request.longestPayload())
        .text("worker", request.worker().toString())
        .number("lease", DatabaseClock.micros(request.lease()));
  }

  private static HandedOver read(Row row) throws SQLException {
    boolean isClaimed = row.numberOrNull(JOBS.ID) != null;
    return new HandedOver(
        Verdict.valueOf(row.text(VERDICT)), isClaimed ? ClaimStatement.read(row) : null);
  }
}
