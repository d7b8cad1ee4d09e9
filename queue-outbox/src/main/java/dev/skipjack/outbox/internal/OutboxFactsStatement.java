package dev.skipjack.outbox.internal;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * Counts the dead events of the outbox, and determines the age of the oldest pending one, since
 * when a retry has been due, and whether a relay runs.
 *
 * <pre>{@code
 * SELECT (SELECT count(*) FROM (SELECT event_id FROM outbox_events WHERE status IN ('dead', 'skipped') LIMIT 1001) AS dead),
 *        (SELECT event_id FROM outbox_events WHERE status IN ('dead', 'skipped') ORDER BY died_at, event_id LIMIT 1),
 *        (SELECT min(first.recorded_at) FROM outbox_shards
 *          CROSS JOIN LATERAL (SELECT recorded_at FROM outbox_events WHERE status = 'pending' AND shard = outbox_shards.shard
 *                               ORDER BY position LIMIT 1) AS first),
 *        (SELECT min(next.retry_at) FROM outbox_shards
 *          CROSS JOIN LATERAL (SELECT retry_at FROM outbox_blocked WHERE shard = outbox_shards.shard AND retry_at IS NOT NULL
 *                               ORDER BY retry_at LIMIT 1) AS next),
 *        EXISTS (SELECT FROM outbox_shards WHERE leased_at > now() - interval '1 minute' OR lease_expires_at > now()),
 *        now()
 * }</pre>
 *
 * <p>A relay leases shards only while it publishes, so a relay that has something to publish has a
 * lease now, or had one shortly before. On an empty outbox, the statement probes three indexes and
 * reads the 32 shards. Locks nothing.
 */
final class OutboxFactsStatement {

  /** The bound of the count. This number means that there may be more. */
  static final int WINDOW = 1_001;

  /**
   * While events are pending, a relay pauses between two batches for five seconds at most, or for
   * its poll interval if that is longer.
   */
  private static final long SILENCE_MICROS = TimeUnit.MINUTES.toMicros(1);

  private static final Condition IS_DEAD =
      OUTBOX_EVENTS.STATUS.in(literal("dead"), literal("skipped"));

  private OutboxFactsStatement() {}

  /**
   * The state of the outbox.
   *
   * @param firstDead the id of the event that became dead first; null if none is dead
   * @param oldest the age of the oldest pending event; null if none is pending
   * @param overdue how long the retry of a blocked aggregate has been due, negative before that;
   *     null if none will be retried
   */
  record Facts(
      int dead,
      @Nullable String firstDead,
      @Nullable Duration oldest,
      @Nullable Duration overdue,
      boolean isRelayRunning) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    Field<Integer> dead =
        field(
                select(count())
                    .from(
                        select(OUTBOX_EVENTS.EVENT_ID)
                            .from(OUTBOX_EVENTS)
                            .where(IS_DEAD)
                            .limit(inline(WINDOW))
                            .asTable("dead")))
            .as("dead");
    Field<?> firstDead =
        field(
                select(OUTBOX_EVENTS.EVENT_ID)
                    .from(OUTBOX_EVENTS)
                    .where(IS_DEAD)
                    .orderBy(OUTBOX_EVENTS.DIED_AT, OUTBOX_EVENTS.EVENT_ID)
                    .limit(inline(1)))
            .as("first_dead");
    Table<Record1<Instant>> first =
        lateral(
                select(OUTBOX_EVENTS.RECORDED_AT)
                    .from(OUTBOX_EVENTS)
                    .where(OUTBOX_EVENTS.STATUS.eq(literal("pending")))
                    .and(OUTBOX_EVENTS.SHARD.eq(OUTBOX_SHARDS.SHARD))
                    .orderBy(OUTBOX_EVENTS.POSITION)
                    .limit(inline(1)))
            .as("first");
    Field<Instant> oldest =
        field(
                select(min(first.field(OUTBOX_EVENTS.RECORDED_AT)))
                    .from(OUTBOX_SHARDS)
                    .crossJoin(first))
            .as("oldest");
    Table<Record1<Instant>> next =
        lateral(
                select(OUTBOX_BLOCKED.RETRY_AT)
                    .from(OUTBOX_BLOCKED)
                    .where(OUTBOX_BLOCKED.SHARD.eq(OUTBOX_SHARDS.SHARD))
                    .and(OUTBOX_BLOCKED.RETRY_AT.isNotNull())
                    .orderBy(OUTBOX_BLOCKED.RETRY_AT)
                    .limit(inline(1)))
            .as("next");
    Field<Instant> retryAt =
        field(select(min(next.field(OUTBOX_BLOCKED.RETRY_AT))).from(OUTBOX_SHARDS).crossJoin(next))
            .as("retry_at");
    Field<Instant> silence =
        DatabaseClock.plusMicros(DatabaseClock.TRANSACTION_START, inline(-SILENCE_MICROS));
    Field<Boolean> isRelayRunning =
        field(
                exists(
                    selectOne()
                        .from(OUTBOX_SHARDS)
                        .where(OUTBOX_SHARDS.LEASED_AT.gt(silence))
                        .or(OUTBOX_SHARDS.LEASE_EXPIRES_AT.gt(DatabaseClock.TRANSACTION_START))))
            .as("is_relay_running");
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("now");
    return Statement.of(
        dialect,
        select(dead, firstDead, oldest, retryAt, isRelayRunning, now),
        row ->
            new Facts(
                row.integer(dead),
                row.textOrNull(firstDead),
                between(row.instantOrNull(oldest), row.instant(now)),
                between(row.instantOrNull(retryAt), row.instant(now)),
                row.flag(isRelayRunning)));
  }

  private static @Nullable Duration between(@Nullable Instant start, Instant end) {
    return start == null ? null : Duration.between(start, end);
  }

  /** A bound status would match no partial index (docs/adr/0003). */
  private static Field<String> literal(String status) {
    return inline(status, OUTBOX_EVENTS.STATUS);
  }
}
