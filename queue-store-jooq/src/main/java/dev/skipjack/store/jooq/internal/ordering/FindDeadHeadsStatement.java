package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.OrderingPolicies;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/**
 * Finds ordering keys whose head is dead, and the policy for the jobs behind it.
 *
 * <pre>{@code
 * WITH dead AS MATERIALIZED (SELECT id, ordering_key, queue, ordering_policy, died_at FROM jobs
 *                             WHERE ordering_head AND status = 'dead' AND died_at IS NOT NULL AND ordering_key > :after
 *                             ORDER BY ordering_key LIMIT :limit)
 * SELECT id, ordering_key, died_at, coalesce((SELECT ordering_policy FROM job_queues WHERE queue = dead.queue), ordering_policy, 'block')
 *   FROM dead ORDER BY ordering_key
 * }</pre>
 *
 * <p>Another form of the statement searches given keys: {@code ordering_key = ANY (:keys)}. The
 * queue's policy takes precedence over the job's policy. Locks nothing, because {@link
 * ReleaseStatement} and {@link ParkStatement} check the head again.
 */
final class FindDeadHeadsStatement {

  private static final Param<Long> LIMIT = param("limit", Long.class);

  private FindDeadHeadsStatement() {}

  /**
   * The keys to search.
   *
   * @param after the key after which the search begins; empty to begin with the first key
   */
  record Request(String after, int limit) {}

  /** A dead job that holds its ordering key. */
  record DeadHead(long id, String key, Instant diedAt, OrderingPolicy policy) {}

  /** Creates the statement that finds the dead heads of the next keys, in key order. */
  static Statement<Request, DeadHead> next(DSLContext dialect) {
    return of(
        dialect,
        JOBS.ORDERING_KEY.gt(Texts.param("after")),
        request -> new Arguments().text("after", request.after()).number("limit", request.limit()));
  }

  /** Creates the statement that finds the dead heads of the given keys. */
  static Statement<List<String>, DeadHead> given(DSLContext dialect) {
    return of(
        dialect,
        JOBS.ORDERING_KEY.eq(any(Texts.array("keys"))),
        keys -> new Arguments().texts("keys", keys, key -> key).number("limit", keys.size()));
  }

  private static <Q> Statement<Q, DeadHead> of(
      DSLContext dialect, Condition which, Function<Q, Arguments> binding) {
    CommonTableExpression<?> dead =
        name("dead")
            .asMaterialized(
                select(JOBS.ID, JOBS.ORDERING_KEY, JOBS.QUEUE, JOBS.ORDERING_POLICY, JOBS.DIED_AT)
                    .from(JOBS)
                    .where(Promotion.HEAD)
                    .and(JobPredicates.DEAD)
                    .and(JOBS.DIED_AT.isNotNull())
                    .and(which)
                    .orderBy(JOBS.ORDERING_KEY)
                    .limit(LIMIT));
    Field<Long> id = field(name("dead", "id"), Long.class);
    Field<String> key = Promotion.keyOf(dead);
    Field<Instant> diedAt = field(name("dead", "died_at"), JOBS.DIED_AT.getDataType());
    Field<String> policy =
        OrderingPolicies.of(
            field(name("dead", "queue"), String.class),
            field(name("dead", "ordering_policy"), SQLDataType.CLOB));
    return Statement.of(
        dialect,
        with(dead).select(id, key, diedAt, policy).from(dead).orderBy(key),
        binding,
        row ->
            new DeadHead(
                row.number(id),
                row.text(key),
                row.instant(diedAt),
                OrderingPolicy.of(row.text(policy))));
  }
}
