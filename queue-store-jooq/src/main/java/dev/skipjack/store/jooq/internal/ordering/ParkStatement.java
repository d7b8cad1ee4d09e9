package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.concat;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.ErrorTexts;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;

/**
 * Parks jobs that wait behind a dead head, by making them dead too.
 *
 * <pre>{@code
 * WITH head AS MATERIALIZED (SELECT id, ordering_key, died_at FROM jobs WHERE id = :head AND ordering_head AND died_at IS NOT NULL
 *                             FOR NO KEY UPDATE SKIP LOCKED),
 * unlocked AS MATERIALIZED (SELECT jobs.id FROM jobs JOIN head ON jobs.ordering_key = head.ordering_key
 *                            WHERE status = 'waiting' AND created_at <= head.died_at
 *                            ORDER BY coalesce(ordering_position, id) LIMIT :limit FOR NO KEY UPDATE OF jobs SKIP LOCKED),
 * parked AS (UPDATE jobs SET status = 'dead', died_at = clock_timestamp(), last_error = 'Parked behind job ..', (its unique key is freed)
 *             WHERE id = ANY (ARRAY(SELECT id FROM unlocked)) RETURNING id)
 * SELECT (SELECT count(*) FROM parked), EXISTS (SELECT FROM head), EXISTS (a job to park that was not locked or is beyond the limit)
 * }</pre>
 *
 * <p>The caller repeats it until no job is left, and then releases the key. Locks the head and then
 * the jobs behind it, in their order, without waiting.
 */
final class ParkStatement {

  private static final Param<Long> HEAD_ID = param("head", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);

  private static final Condition FREES_KEY =
      JOBS.UNIQUE_UNTIL.isDistinctFrom(inline(UniqueUntil.ENDED, JOBS.UNIQUE_UNTIL));

  private ParkStatement() {}

  /**
   * The jobs to park.
   *
   * @param head the dead head
   */
  record Request(long head, int limit) {}

  /**
   * The result of a batch.
   *
   * @param parked how many jobs were parked
   * @param left whether other jobs remain to be parked
   * @param blocked whether the head still holds its key
   */
  record Parked(int parked, boolean left, boolean blocked) {}

  static Statement<Request, Parked> of(DSLContext dialect) {
    CommonTableExpression<?> head =
        name("head")
            .asMaterialized(
                select(JOBS.ID, JOBS.ORDERING_KEY, JOBS.DIED_AT)
                    .from(JOBS)
                    .where(JOBS.ID.eq(HEAD_ID))
                    .and(Promotion.HEAD)
                    .and(JOBS.DIED_AT.isNotNull())
                    .forNoKeyUpdate()
                    .skipLocked());
    Condition behind =
        JobPredicates.WAITING
            .and(JOBS.ORDERING_KEY.eq(Promotion.keyOf(head)))
            .and(JOBS.CREATED_AT.le(field(name("head", "died_at"), Instant.class)));
    CommonTableExpression<?> unlocked =
        name("unlocked")
            .asMaterialized(
                select(JOBS.ID)
                    .from(head)
                    .join(JOBS)
                    .on(behind)
                    .orderBy(Promotion.POSITION)
                    .limit(LIMIT)
                    .forNoKeyUpdate()
                    .of(JOBS)
                    .skipLocked());
    Field<Long> unlockedId = field(name("unlocked", "id"), Long.class);
    CommonTableExpression<?> parked =
        name("parked")
            .as(
                update(JOBS)
                    .set(JOBS.STATUS, JobPredicates.literal(JobStatus.DEAD))
                    .set(JOBS.DIED_AT, DatabaseClock.NOW)
                    .set(
                        JOBS.LAST_ERROR,
                        concat(
                            inline(ErrorTexts.PARKED_BEHIND),
                            HEAD_ID.cast(String.class),
                            inline(", which died.")))
                    .set(JOBS.LAST_ERROR_CLASS, castNull(JOBS.LAST_ERROR_CLASS))
                    .set(
                        JOBS.UNIQUE_KEY,
                        when(FREES_KEY, castNull(JOBS.UNIQUE_KEY)).otherwise(JOBS.UNIQUE_KEY))
                    .set(
                        JOBS.FREED_UNIQUE_KEY,
                        when(FREES_KEY, JOBS.UNIQUE_KEY).otherwise(JOBS.FREED_UNIQUE_KEY))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .where(JOBS.ID.eq(any(array(select(unlockedId).from(unlocked)))))
                    .returning(JOBS.ID));
    Field<Integer> count = field(selectCount().from(parked));
    Field<Boolean> blocked = field(exists(selectOne().from(head)));
    Field<Boolean> left =
        field(
            exists(
                selectOne()
                    .from(head)
                    .join(JOBS)
                    .on(behind)
                    .where(JOBS.ID.notIn(select(unlockedId).from(unlocked)))));
    return Statement.of(
        dialect,
        with(head, unlocked, parked).select(count, left, blocked),
        request -> new Arguments().number("head", request.head()).number("limit", request.limit()),
        row -> new Parked(row.integer(count), row.flag(left), row.flag(blocked)));
  }
}
