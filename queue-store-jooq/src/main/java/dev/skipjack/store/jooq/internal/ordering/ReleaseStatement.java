package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.OrderingPolicies;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.sql.Timestamps;
import dev.skipjack.store.jooq.internal.ordering.FindDeadHeadsStatement.DeadHead;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/**
 * Takes an ordering key from its dead head, which remains dead. The caller then promotes the next
 * job.
 *
 * <pre>{@code
 * WITH unlocked AS MATERIALIZED (SELECT id FROM jobs WHERE ordering_key = :key AND ordering_head AND id = coalesce(:head, id) AND status = 'dead'
 *                                 FOR NO KEY UPDATE SKIP LOCKED),
 * released AS (UPDATE jobs SET ordering_head = NULL, updated_at = clock_timestamp()
 *               WHERE id = ANY (ARRAY(SELECT id FROM unlocked)) RETURNING ordering_key)
 * SELECT ordering_key FROM released
 * }</pre>
 *
 * <p>A second text releases heads that a sweep has found and whose policy does not block the key.
 * Since then, the key may have another dead head, or the same job may have been redriven and become
 * dead again. The statement therefore compares the ids and the times at which the jobs became dead,
 * and checks the policy again:
 *
 * <pre>{@code
 * WITH unlocked AS MATERIALIZED (SELECT jobs.id FROM jobs JOIN unnest(:ids, :died_ats, :policies) AS given ON jobs.id = given.id
 *                                 WHERE jobs.id = ANY (:ids) AND ordering_head AND status = 'dead' AND died_at = given.died_at
 *                                   AND (the policy of the job's queue, or else of the job) = given.policy
 *                                 ORDER BY ordering_key FOR NO KEY UPDATE OF jobs SKIP LOCKED),
 * released AS (...)
 * SELECT ordering_key FROM released
 * }</pre>
 *
 * <p>Locks heads in key order, without waiting. A head that is redriven in the meantime keeps its
 * key.
 */
final class ReleaseStatement {

  private ReleaseStatement() {}

  /** Creates the statement for one key. It returns the key if it was released. */
  static Statement<ExpectedHead, String> byKey(DSLContext dialect) {
    return of(
        dialect,
        name("unlocked")
            .asMaterialized(
                select(JOBS.ID)
                    .from(JOBS)
                    .where(ExpectedHead.HOLDS_KEY)
                    .and(ExpectedHead.IS_EXPECTED)
                    .and(JobPredicates.DEAD)
                    .forNoKeyUpdate()
                    .skipLocked()),
        ExpectedHead::arguments);
  }

  /** Creates the statement for heads. It returns the keys that were released. */
  static Statement<List<DeadHead>, String> byHead(DSLContext dialect) {
    Param<Long[]> ids = param("ids", Long[].class);
    ArrayRows given =
        ArrayRows.named("given")
            .column("id", ids)
            .column("died_at", param("died_ats", SQLDataType.INSTANT.getArrayDataType()))
            .column("policy", Texts.array("policies"));
    return of(
        dialect,
        name("unlocked")
            .asMaterialized(
                select(JOBS.ID)
                    .from(JOBS)
                    .join(given.table())
                    .on(JOBS.ID.eq(given.field("id", Long.class)))
                    .where(JOBS.ID.eq(any(ids)))
                    .and(Promotion.HEAD)
                    .and(JobPredicates.DEAD)
                    .and(JOBS.DIED_AT.eq(given.field("died_at", Instant.class)))
                    .and(
                        OrderingPolicies.of(
                                JOBS.QUEUE, JOBS.ORDERING_POLICY.coerce(SQLDataType.CLOB))
                            .eq(given.field("policy", String.class)))
                    .orderBy(JOBS.ORDERING_KEY)
                    .forNoKeyUpdate()
                    .of(JOBS)
                    .skipLocked()),
        heads ->
            new Arguments()
                .bigints("ids", heads, DeadHead::id)
                .timestamps("died_ats", heads, head -> Timestamps.text(head.diedAt()))
                .texts("policies", heads, head -> head.policy().literal()));
  }

  private static <Q> Statement<Q, String> of(
      DSLContext dialect, CommonTableExpression<?> unlocked, Function<Q, Arguments> binding) {
    CommonTableExpression<?> released =
        name("released")
            .as(
                update(JOBS)
                    .set(JOBS.ORDERING_HEAD, castNull(JOBS.ORDERING_HEAD))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .where(
                        JOBS.ID.eq(
                            any(
                                array(
                                    select(field(name("unlocked", "id"), Long.class))
                                        .from(unlocked)))))
                    .returning(JOBS.ORDERING_KEY));
    return Statement.of(
        dialect,
        with(unlocked, released).select(Promotion.keyOf(released)).from(released),
        binding,
        row -> row.text(Promotion.keyOf(released)));
  }
}
