package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_PUBLISHED;
import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static dev.skipjack.store.jooq.internal.sql.Existence.notExists;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.trueCondition;

import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.Lazy;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DefaultConnectionProvider;
import org.jooq.impl.SQLDataType;

/**
 * Queries and operations for operators. Each call is a transaction of its own, and throws {@link
 * StoreException} if the database rejects it or cannot be reached. Safe for any number of threads.
 */
public final class OutboxAdmin {

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;

  OutboxAdmin(QueueExtension queue) {
    this.transactions = queue.transactions();
    this.dialect = queue.dialect();
  }

  /**
   * Returns dead events, those that died first at the beginning.
   *
   * @param limit their maximum number, 1 to 10,000
   */
  public List<DeadEvent> dead(int limit) {
    return dead(trueCondition(), limit);
  }

  /**
   * Returns dead events of an aggregate, those that died first at the beginning.
   *
   * @param limit their maximum number, 1 to 10,000
   */
  public List<DeadEvent> dead(Aggregate aggregate, int limit) {
    return dead(
        OUTBOX_EVENTS
            .AGGREGATE_TYPE
            .eq(aggregate.type())
            .and(OUTBOX_EVENTS.AGGREGATE_ID.eq(aggregate.id())),
        limit);
  }

  private List<DeadEvent> dead(Condition which, int limit) {
    requireLimit(limit);
    return run(
        dsl ->
            dsl.select(
                    OUTBOX_EVENTS.EVENT_ID,
                    OUTBOX_EVENTS.AGGREGATE_TYPE,
                    OUTBOX_EVENTS.AGGREGATE_ID,
                    OUTBOX_EVENTS.EVENT_TYPE,
                    OUTBOX_EVENTS.DIED_AT,
                    OUTBOX_EVENTS.ATTEMPTS,
                    coalesce(OUTBOX_EVENTS.LAST_ERROR, inline("")))
                .from(OUTBOX_EVENTS)
                .where(OutboxPredicates.DEAD)
                .and(which)
                .orderBy(OUTBOX_EVENTS.DIED_AT, OUTBOX_EVENTS.EVENT_ID)
                .limit(limit)
                .fetch(
                    row ->
                        new DeadEvent(
                            row.value1(),
                            new Aggregate(row.value2(), row.value3()),
                            row.value4(),
                            row.value5(),
                            row.value6(),
                            row.value7())));
  }

  private static void requireLimit(int limit) {
    if (limit < 1 || limit > OutboxLag.COUNTED) {
      throw new IllegalArgumentException(
          "Limit %d must be from 1 to %d.".formatted(limit, OutboxLag.COUNTED));
    }
  }

  /**
   * Finds an event without its headers and payload. A published event is found while it is
   * retained.
   */
  public Optional<EventDetails> find(UUID event) {
    return run(
        dsl ->
            dsl.select(
                    cast(OUTBOX_EVENTS.STATUS, SQLDataType.CLOB),
                    OUTBOX_EVENTS.AGGREGATE_TYPE,
                    OUTBOX_EVENTS.AGGREGATE_ID,
                    OUTBOX_EVENTS.EVENT_TYPE,
                    OUTBOX_EVENTS.CONTENT_TYPE,
                    OUTBOX_EVENTS.TRACEPARENT,
                    OUTBOX_EVENTS.RECORDED_AT,
                    OUTBOX_EVENTS.ATTEMPTS,
                    OUTBOX_EVENTS.LAST_ERROR,
                    OUTBOX_EVENTS.DIED_AT,
                    castNull(OUTBOX_PUBLISHED.PUBLISHED_AT))
                .from(OUTBOX_EVENTS)
                .where(OUTBOX_EVENTS.EVENT_ID.eq(event))
                .unionAll(
                    select(
                            inline("published"),
                            OUTBOX_PUBLISHED.AGGREGATE_TYPE,
                            OUTBOX_PUBLISHED.AGGREGATE_ID,
                            OUTBOX_PUBLISHED.EVENT_TYPE,
                            OUTBOX_PUBLISHED.CONTENT_TYPE,
                            OUTBOX_PUBLISHED.TRACEPARENT,
                            OUTBOX_PUBLISHED.RECORDED_AT,
                            OUTBOX_PUBLISHED.ATTEMPTS,
                            castNull(OUTBOX_EVENTS.LAST_ERROR),
                            castNull(OUTBOX_EVENTS.DIED_AT),
                            OUTBOX_PUBLISHED.PUBLISHED_AT)
                        .from(OUTBOX_PUBLISHED)
                        .where(OUTBOX_PUBLISHED.EVENT_ID.eq(event)))
                .fetchOptional(
                    row ->
                        new EventDetails(
                            event,
                            EventStatus.valueOf(row.value1().toUpperCase(Locale.ROOT)),
                            new Aggregate(row.value2(), row.value3()),
                            row.value4(),
                            row.value5(),
                            row.value6(),
                            row.value7(),
                            row.value8(),
                            row.value9(),
                            row.value10(),
                            row.value11())));
  }

  /**
   * Finds an event with its headers and payload, as publishers receive it. A published event is
   * found while it is retained. Needs a role that may read payloads.
   */
  public Optional<RecordedEvent> read(UUID event) {
    return run(
        dsl ->
            dsl.select(
                    OUTBOX_EVENTS.POSITION,
                    OUTBOX_EVENTS.AGGREGATE_TYPE,
                    OUTBOX_EVENTS.AGGREGATE_ID,
                    OUTBOX_EVENTS.EVENT_TYPE,
                    OUTBOX_EVENTS.PAYLOAD,
                    OUTBOX_EVENTS.CONTENT_TYPE,
                    FetchStatement.headerTexts(OUTBOX_EVENTS.HEADERS),
                    OUTBOX_EVENTS.TRACEPARENT,
                    OUTBOX_EVENTS.RECORDED_AT,
                    OUTBOX_EVENTS.ATTEMPTS)
                .from(OUTBOX_EVENTS)
                .where(OUTBOX_EVENTS.EVENT_ID.eq(event))
                .unionAll(
                    select(
                            OUTBOX_PUBLISHED.POSITION,
                            OUTBOX_PUBLISHED.AGGREGATE_TYPE,
                            OUTBOX_PUBLISHED.AGGREGATE_ID,
                            OUTBOX_PUBLISHED.EVENT_TYPE,
                            OUTBOX_PUBLISHED.PAYLOAD,
                            OUTBOX_PUBLISHED.CONTENT_TYPE,
                            FetchStatement.headerTexts(OUTBOX_PUBLISHED.HEADERS),
                            OUTBOX_PUBLISHED.TRACEPARENT,
                            OUTBOX_PUBLISHED.RECORDED_AT,
                            OUTBOX_PUBLISHED.ATTEMPTS)
                        .from(OUTBOX_PUBLISHED)
                        .where(OUTBOX_PUBLISHED.EVENT_ID.eq(event)))
                .fetchOptional(
                    row ->
                        new RecordedEvent(
                            row.value1(),
                            event,
                            new Aggregate(row.value2(), row.value3()),
                            row.value4(),
                            row.value5(),
                            row.value6(),
                            FetchStatement.headers(List.of(row.value7())),
                            row.value8(),
                            row.value9(),
                            row.value10())));
  }

  /**
   * Returns blocked aggregates, those that have been blocked longest at the beginning.
   *
   * @param limit their maximum number, 1 to 10,000
   */
  public List<BlockedAggregate> blocked(int limit) {
    requireLimit(limit);
    return run(
        dsl ->
            dsl.select(
                    OUTBOX_BLOCKED.AGGREGATE_TYPE,
                    OUTBOX_BLOCKED.AGGREGATE_ID,
                    OUTBOX_BLOCKED.BLOCKED_AT,
                    OUTBOX_BLOCKED.RETRY_AT)
                .from(OUTBOX_BLOCKED)
                .orderBy(
                    OUTBOX_BLOCKED.BLOCKED_AT,
                    OUTBOX_BLOCKED.AGGREGATE_TYPE,
                    OUTBOX_BLOCKED.AGGREGATE_ID)
                .limit(limit)
                .fetch(
                    row ->
                        new BlockedAggregate(
                            new Aggregate(row.value1(), row.value2()),
                            row.value3(),
                            row.value4())));
  }

  /** Returns the relays that hold the latest lease of some shard, by name. */
  public List<RelayActivity> relays() {
    Condition isLeased = OUTBOX_SHARDS.LEASE_EXPIRES_AT.gt(DatabaseClock.STATEMENT_START);
    return run(
        dsl ->
            dsl.select(
                    OUTBOX_SHARDS.LEASED_BY,
                    max(OUTBOX_SHARDS.LEASED_AT),
                    count().filterWhere(isLeased))
                .from(OUTBOX_SHARDS)
                .where(OUTBOX_SHARDS.LEASED_BY.isNotNull())
                .groupBy(OUTBOX_SHARDS.LEASED_BY)
                .orderBy(OUTBOX_SHARDS.LEASED_BY)
                .fetch(row -> new RelayActivity(row.value1(), row.value2(), row.value3())));
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
          Table<Record1<Instant>> retry =
              lateral(
                      select(OUTBOX_BLOCKED.RETRY_AT)
                          .from(OUTBOX_BLOCKED)
                          .where(OUTBOX_BLOCKED.SHARD.eq(OUTBOX_SHARDS.SHARD))
                          .and(OutboxPredicates.RETRIED)
                          .orderBy(OUTBOX_BLOCKED.RETRY_AT)
                          .limit(inline(1)))
                  .as("retry");
          var times =
              dsl.select(
                      coalesce(
                          least(
                              min(first.field(OUTBOX_EVENTS.RECORDED_AT)),
                              min(retry.field(OUTBOX_BLOCKED.RETRY_AT))),
                          DatabaseClock.STATEMENT_START),
                      DatabaseClock.STATEMENT_START)
                  .from(OUTBOX_SHARDS)
                  .leftJoin(first)
                  .on(trueCondition())
                  .leftJoin(retry)
                  .on(trueCondition())
                  .fetchSingle();
          long pending = counted(dsl, OutboxPredicates.PENDING);
          long blocked = counted(dsl, OutboxPredicates.BLOCKED);
          Duration oldest = Duration.between(times.value1(), times.value2());
          return new OutboxLag(
              Math.min(pending + blocked, OutboxLag.COUNTED),
              oldest.isNegative() ? Duration.ZERO : oldest,
              dsl.fetchCount(OUTBOX_BLOCKED),
              counted(dsl, OutboxPredicates.DEAD));
        });
  }

  private static long counted(DSLContext dsl, Condition which) {
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
        connection -> {
          try {
            return work.apply(
                dialect
                    .get()
                    .configuration()
                    .derive(new DefaultConnectionProvider(connection))
                    .dsl());
          } catch (DataAccessException failure) {
            // The transaction reports the driver's exception as a StoreException.
            SQLException reason = failure.getCause(SQLException.class);
            if (reason == null) {
              throw failure;
            }
            throw reason;
          }
        });
  }
}
