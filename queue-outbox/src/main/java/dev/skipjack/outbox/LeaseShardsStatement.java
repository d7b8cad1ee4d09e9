package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/**
 * Leases free shards that have something to publish, beginning with those that were leased least
 * recently.
 *
 * <pre>{@code
 * WITH free AS MATERIALIZED (
 *   SELECT shard, lease_expires_at IS NOT NULL AS taken_over, (<a due blocked aggregate>) IS NOT NULL AS has_retries
 *     FROM outbox_shards
 *    WHERE (lease_expires_at IS NULL OR lease_expires_at <= statement_timestamp() OR lease_expires_at > <longer than any lease>)
 *      AND ((SELECT position FROM outbox_events WHERE status = 'pending' AND shard = outbox_shards.shard
 *                  AND position >= coalesce((:lows)[shard + 1], <the smallest number>) ORDER BY position LIMIT 1) IS NOT NULL
 *           OR (<a due blocked aggregate>) IS NOT NULL)
 *    ORDER BY leased_at, shard LIMIT :shards FOR NO KEY UPDATE SKIP LOCKED),
 * leased AS (UPDATE outbox_shards SET lease_id = CASE WHEN lease_id < <the largest number> THEN lease_id + 1 ELSE 1 END, leased_at = clock_timestamp(), lease_expires_at = clock_timestamp() + :lease,
 *                   leased_by = :relay
 *             WHERE shard = ANY (ARRAY(SELECT shard FROM free)) RETURNING shard, lease_id)
 * SELECT ... FROM leased JOIN free ON free.shard = leased.shard
 * }</pre>
 *
 * <p>A scalar subquery looks up events, because the planner would turn EXISTS into a hash of all
 * pending events. Only the 32 shards are read without an index.
 *
 * <p>The events are read by a later statement, whose snapshot contains what the previous holder of
 * the lease recorded before it released the shard. Locks shards without waiting. The update changes
 * no indexed column.
 *
 * <p>A lease that ends later than any relay's, and one whose id is the largest number, were written
 * by another program. They do not stop relays.
 */
final class LeaseShardsStatement {

  private static final Param<Long> LIMIT = param("shards", Long.class);
  private static final Param<Long> LEASE = param("lease", Long.class);
  private static final Param<Long[]> LOWS = param("lows", Long[].class);

  /** Twice the longest lease that a relay may have, in microseconds. */
  private static final long BEYOND_ANY_LEASE = TimeUnit.HOURS.toMicros(2);

  private static final Field<Short> SHARD = field(name("leased", "shard"), Short.class);
  private static final Field<Long> LEASE_ID = field(name("leased", "lease_id"), Long.class);
  private static final Field<Boolean> TAKEN_OVER = field(name("free", "taken_over"), Boolean.class);
  private static final Field<Boolean> HAS_RETRIES =
      field(name("free", "has_retries"), Boolean.class);

  private LeaseShardsStatement() {}

  /**
   * The shards to lease.
   *
   * @param shards their maximum number
   * @param lows for each shard, in the order of their numbers, the position below which it has no
   *     pending event; empty if no marks are in use
   */
  record Request(String relay, int shards, Duration lease, List<Long> lows) {}

  static Statement<Request, ShardLease> of(DSLContext dialect) {
    Condition isFree =
        OUTBOX_SHARDS
            .LEASE_EXPIRES_AT
            .isNull()
            .or(OUTBOX_SHARDS.LEASE_EXPIRES_AT.le(DatabaseClock.STATEMENT_START))
            .or(
                OUTBOX_SHARDS.LEASE_EXPIRES_AT.gt(
                    DatabaseClock.plusMicros(
                        DatabaseClock.STATEMENT_START, inline(BEYOND_ANY_LEASE))));
    Condition hasRetries =
        field(
                select(OUTBOX_BLOCKED.SHARD)
                    .from(OUTBOX_BLOCKED)
                    .where(OUTBOX_BLOCKED.SHARD.eq(OUTBOX_SHARDS.SHARD))
                    .and(OutboxPredicates.RETRIED)
                    .and(OUTBOX_BLOCKED.RETRY_AT.le(DatabaseClock.STATEMENT_START))
                    .orderBy(OUTBOX_BLOCKED.RETRY_AT)
                    .limit(inline(1)))
            .isNotNull();
    Field<Long> low =
        coalesce(
            field(
                "({0})[{1} + 1]",
                Long.class, cast(LOWS, SQLDataType.BIGINT.array()), OUTBOX_SHARDS.SHARD),
            inline(Long.MIN_VALUE));
    Condition hasPending =
        field(
                select(OUTBOX_EVENTS.POSITION)
                    .from(OUTBOX_EVENTS)
                    .where(OutboxPredicates.PENDING)
                    .and(OUTBOX_EVENTS.SHARD.eq(OUTBOX_SHARDS.SHARD))
                    .and(OUTBOX_EVENTS.POSITION.ge(low))
                    .orderBy(OUTBOX_EVENTS.POSITION)
                    .limit(inline(1)))
            .isNotNull();
    CommonTableExpression<?> free =
        name("free")
            .asMaterialized(
                select(
                        OUTBOX_SHARDS.SHARD,
                        field(OUTBOX_SHARDS.LEASE_EXPIRES_AT.isNotNull()).as("taken_over"),
                        field(hasRetries).as("has_retries"))
                    .from(OUTBOX_SHARDS)
                    .where(isFree)
                    .and(hasPending.or(hasRetries))
                    .orderBy(OUTBOX_SHARDS.LEASED_AT, OUTBOX_SHARDS.SHARD)
                    .limit(LIMIT)
                    .forNoKeyUpdate()
                    .skipLocked());
    CommonTableExpression<?> leased =
        name("leased")
            .as(
                update(OUTBOX_SHARDS)
                    .set(
                        OUTBOX_SHARDS.LEASE_ID,
                        when(
                                OUTBOX_SHARDS.LEASE_ID.lt(inline(Long.MAX_VALUE)),
                                OUTBOX_SHARDS.LEASE_ID.plus(inline(1L)))
                            .otherwise(inline(1L)))
                    .set(OUTBOX_SHARDS.LEASED_AT, DatabaseClock.NOW)
                    .set(
                        OUTBOX_SHARDS.LEASE_EXPIRES_AT,
                        DatabaseClock.plusMicros(DatabaseClock.NOW, LEASE))
                    .set(OUTBOX_SHARDS.LEASED_BY, Texts.param("relay"))
                    .where(
                        OUTBOX_SHARDS.SHARD.eq(
                            any(
                                array(
                                    select(
                                            cast(
                                                field(name("free", "shard"), Short.class),
                                                SQLDataType.SMALLINT))
                                        .from(free)))))
                    .returning(OUTBOX_SHARDS.SHARD, OUTBOX_SHARDS.LEASE_ID));
    return Statement.of(
        dialect,
        with(free, leased)
            .select(SHARD, LEASE_ID, TAKEN_OVER, HAS_RETRIES)
            .from(leased)
            .join(free)
            .on(field(name("free", "shard"), Short.class).eq(SHARD)),
        request ->
            new Arguments()
                .number("shards", request.shards())
                .number("lease", DatabaseClock.micros(request.lease()))
                .bigints("lows", request.lows(), each -> each)
                .text("relay", request.relay()),
        row ->
            new ShardLease(
                row.integer(SHARD),
                row.number(LEASE_ID),
                row.flag(HAS_RETRIES),
                row.flag(TAKEN_OVER)));
  }
}
