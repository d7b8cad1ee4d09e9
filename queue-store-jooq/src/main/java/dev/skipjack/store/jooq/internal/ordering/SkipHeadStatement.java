package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.SkipResult;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.Statement;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;

/**
 * Takes an ordering key from its head, unless the head is running. The caller then promotes the
 * next job.
 *
 * <pre>{@code
 * WITH head AS MATERIALIZED (SELECT id, status FROM jobs WHERE ordering_key = :key AND ordering_head AND id = coalesce(:head, id)
 *                             FOR NO KEY UPDATE SKIP LOCKED),
 * to_back AS MATERIALIZED (SELECT id, nextval('jobs_id_seq') AS position FROM head WHERE status = 'pending'),
 * skipped AS (UPDATE jobs SET ordering_head = NULL, status = CASE WHEN status = 'pending' THEN 'waiting' ELSE status END,
 *                             ordering_position = coalesce((its position in to_back), ordering_position), updated_at = clock_timestamp()
 *              WHERE id = ANY (ARRAY(SELECT id FROM head WHERE status IN ('pending', 'dead'))) RETURNING id)
 * SELECT CASE WHEN EXISTS (SELECT FROM skipped) .. WHEN EXISTS (SELECT FROM head) .. WHEN EXISTS (the expected head's row) ..
 *             WHEN EXISTS (the head's row) .. ELSE 'NO_HEAD' END
 * }</pre>
 *
 * <p>A pending head moves to the end of the key. A dead head remains dead. The status is that of
 * the locked row, so a head that is claimed in the meantime is reported as busy or running. Locks
 * the head alone, without waiting.
 */
final class SkipHeadStatement {

  private SkipHeadStatement() {}

  /** Creates the statement. It returns the result for one key. */
  static Statement<ExpectedHead, SkipResult> of(DSLContext dialect) {
    Condition isExpected = ExpectedHead.HOLDS_KEY.and(ExpectedHead.IS_EXPECTED);
    CommonTableExpression<?> head =
        name("head")
            .asMaterialized(
                select(JOBS.ID, JOBS.STATUS)
                    .from(JOBS)
                    .where(isExpected)
                    .forNoKeyUpdate()
                    .skipLocked());
    Field<Long> headId = field(name("head", "id"), Long.class);
    Field<JobStatus> headStatus = field(name("head", "status"), JOBS.STATUS.getDataType());
    CommonTableExpression<?> toBack =
        name("to_back")
            .asMaterialized(
                select(headId, NextId.of(JOBS_ID_SEQ).as("position"))
                    .from(head)
                    .where(headStatus.eq(JobPredicates.literal(JobStatus.PENDING))));
    Field<Long> position =
        field(
            select(field(name("to_back", "position"), Long.class))
                .from(toBack)
                .where(field(name("to_back", "id"), Long.class).eq(JOBS.ID)));
    CommonTableExpression<?> skipped =
        name("skipped")
            .as(
                update(JOBS)
                    .set(JOBS.ORDERING_HEAD, castNull(JOBS.ORDERING_HEAD))
                    .set(
                        JOBS.STATUS,
                        when(
                                JOBS.STATUS.eq(JobPredicates.literal(JobStatus.PENDING)),
                                JobPredicates.literal(JobStatus.WAITING))
                            .otherwise(JOBS.STATUS))
                    .set(JOBS.ORDERING_POSITION, coalesce(position, JOBS.ORDERING_POSITION))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .where(
                        JOBS.ID.eq(
                            any(
                                array(
                                    select(headId)
                                        .from(head)
                                        .where(
                                            headStatus.in(
                                                JobPredicates.literals(
                                                    JobStatus.PENDING, JobStatus.DEAD)))))))
                    .returning(JOBS.ID));
    Field<String> result =
        when(isAny(skipped), inline(SkipResult.SKIPPED.name()))
            .when(isAny(head), inline(SkipResult.RUNNING.name()))
            .when(exists(selectOne().from(JOBS).where(isExpected)), inline(SkipResult.BUSY.name()))
            .when(
                exists(selectOne().from(JOBS).where(ExpectedHead.HOLDS_KEY)),
                inline(SkipResult.OTHER_HEAD.name()))
            .otherwise(inline(SkipResult.NO_HEAD.name()));
    return Statement.of(
        dialect,
        with(head, toBack, skipped).select(result),
        ExpectedHead::arguments,
        row -> SkipResult.valueOf(row.text(result)));
  }

  private static Condition isAny(Table<?> rows) {
    return exists(selectOne().from(table(name(rows.getName()))));
  }
}
