package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DefaultConnectionProvider;

/**
 * Queries and operations for operators. Each call is a transaction of its own. Safe for any number
 * of threads.
 */
public final class OutboxAdmin {

  private final OwnTransactions transactions;
  private final DSLContext dialect;

  OutboxAdmin(QueueExtension queue) {
    this.transactions = queue.transactions();
    this.dialect = queue.dialect();
  }

  /**
   * Returns dead events, those that died first at the beginning.
   *
   * @param limit their maximum number, 1 to 1,000
   */
  public List<DeadEvent> dead(int limit) {
    if (limit < 1 || limit > 1_000) {
      throw new IllegalArgumentException("Limit %d must be from 1 to 1000.".formatted(limit));
    }
    return run(
        dsl ->
            dsl.selectFrom(OUTBOX_EVENTS)
                .where(OutboxPredicates.DEAD)
                .orderBy(OUTBOX_EVENTS.DIED_AT, OUTBOX_EVENTS.EVENT_ID)
                .limit(limit)
                .fetch(
                    row ->
                        new DeadEvent(
                            row.getEventId(),
                            new Aggregate(row.getAggregateType(), row.getAggregateId()),
                            row.getEventType(),
                            row.getDiedAt(),
                            row.getAttempts(),
                            row.getLastError() == null ? "" : row.getLastError())));
  }

  /**
   * Gives a dead event new attempts. If relays have skipped it, it is published after later events
   * of its aggregate.
   *
   * @return whether the event was dead
   */
  public boolean redrive(UUID event) {
    return run(
        dsl -> {
          Condition isEvent = OutboxPredicates.DEAD.and(OUTBOX_EVENTS.EVENT_ID.eq(event));
          var found =
              dsl.select(OUTBOX_EVENTS.AGGREGATE_TYPE, OUTBOX_EVENTS.AGGREGATE_ID)
                  .from(OUTBOX_EVENTS)
                  .where(isEvent)
                  .fetchOne();
          if (found == null) {
            return false;
          }
          Aggregate aggregate = new Aggregate(found.value1(), found.value2());
          lock(dsl, aggregate);
          int changed =
              dsl.update(OUTBOX_EVENTS)
                  .set(
                      OUTBOX_EVENTS.STATUS,
                      OutboxPredicates.literal(OutboxPredicates.BLOCKED_LITERAL))
                  .set(OUTBOX_EVENTS.ATTEMPTS, 0)
                  .set(OUTBOX_EVENTS.DIED_AT, castNull(OUTBOX_EVENTS.DIED_AT))
                  .where(isEvent)
                  .execute();
          if (changed > 0) {
            dsl.insertInto(OUTBOX_BLOCKED)
                .set(OUTBOX_BLOCKED.AGGREGATE_TYPE, aggregate.type())
                .set(OUTBOX_BLOCKED.AGGREGATE_ID, aggregate.id())
                .set(OUTBOX_BLOCKED.SHARD, (short) aggregate.shard())
                .set(OUTBOX_BLOCKED.RETRY_AT, DatabaseClock.NOW)
                .onConflict(OUTBOX_BLOCKED.AGGREGATE_TYPE, OUTBOX_BLOCKED.AGGREGATE_ID)
                .doUpdate()
                .set(OUTBOX_BLOCKED.RETRY_AT, DatabaseClock.NOW)
                .execute();
          }
          return changed > 0;
        });
  }

  /**
   * Lets a blocked aggregate continue: its dead events stay dead, and the later ones are published
   * without them. An event that waits for its next attempt is tried at once.
   *
   * @return whether the aggregate was blocked
   */
  public boolean unblock(Aggregate aggregate) {
    return run(
        dsl -> {
          lock(dsl, aggregate);
          Condition isAggregate =
              OUTBOX_BLOCKED
                  .AGGREGATE_TYPE
                  .eq(aggregate.type())
                  .and(OUTBOX_BLOCKED.AGGREGATE_ID.eq(aggregate.id()));
          int freed =
              dsl.deleteFrom(OUTBOX_BLOCKED)
                  .where(isAggregate)
                  .and(
                      notExists(
                          selectOne()
                              .from(OUTBOX_EVENTS)
                              .where(OutboxPredicates.BLOCKED)
                              .and(OUTBOX_EVENTS.AGGREGATE_TYPE.eq(aggregate.type()))
                              .and(OUTBOX_EVENTS.AGGREGATE_ID.eq(aggregate.id()))))
                  .execute();
          int due =
              dsl.update(OUTBOX_BLOCKED)
                  .set(OUTBOX_BLOCKED.RETRY_AT, DatabaseClock.NOW)
                  .where(isAggregate)
                  .execute();
          return freed + due > 0;
        });
  }

  /** Returns how far the relays are behind. */
  public OutboxLag lag() {
    return run(
        dsl -> {
          Table<Record1<Instant>> first =
              lateral(
                      select(OUTBOX_EVENTS.RECORDED_AT)
                          .from(OUTBOX_EVENTS)
                          .where(OutboxPredicates.PENDING)
                          .and(OUTBOX_EVENTS.SHARD.eq(OUTBOX_SHARDS.SHARD))
                          .orderBy(OUTBOX_EVENTS.POSITION)
                          .limit(inline(1)))
                  .as("first");
          var times =
              dsl.select(
                      coalesce(
                          min(first.field(OUTBOX_EVENTS.RECORDED_AT)),
                          DatabaseClock.STATEMENT_START),
                      DatabaseClock.STATEMENT_START)
                  .from(OUTBOX_SHARDS)
                  .crossJoin(first)
                  .fetchSingle();
          long pending = count(dsl, OutboxPredicates.PENDING);
          long blocked = count(dsl, OutboxPredicates.BLOCKED);
          Duration oldest = Duration.between(times.value1(), times.value2());
          return new OutboxLag(
              Math.min(pending + blocked, OutboxLag.COUNTED),
              oldest.isNegative() ? Duration.ZERO : oldest,
              dsl.fetchCount(OUTBOX_BLOCKED),
              count(dsl, OutboxPredicates.DEAD));
        });
  }

  private static long count(DSLContext dsl, Condition which) {
    Select<?> some =
        select(OUTBOX_EVENTS.POSITION)
            .from(OUTBOX_EVENTS)
            .where(which)
            .limit(inline(OutboxLag.COUNTED));
    return dsl.fetchCount(some);
  }

  /** Waits until no relay is recording a batch of the aggregate's shard. */
  private static void lock(DSLContext dsl, Aggregate aggregate) {
    dsl.select(OUTBOX_SHARDS.SHARD)
        .from(OUTBOX_SHARDS)
        .where(OUTBOX_SHARDS.SHARD.eq((short) aggregate.shard()))
        .forNoKeyUpdate()
        .execute();
  }

  private <R> R run(Function<DSLContext, R> work) {
    return transactions.onConnection(
        connection ->
            work.apply(
                dialect.configuration().derive(new DefaultConnectionProvider(connection)).dsl()));
  }
}
