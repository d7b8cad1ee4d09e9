package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_BLOCKED;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.left;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.trueCondition;

import dev.skipjack.api.StoreException;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DefaultConnectionProvider;

/**
 * Queries and operations for operators. Each call throws {@link StoreException} if the database
 * rejects it or cannot be reached. Safe for any number of threads.
 */
public final class OutboxAdmin {

  private static final int LONGEST_NAME = 200;
  private static final Instant LAST_INSTANT = Instant.parse("9999-12-31T00:00:00Z");

  private static final Field<Instant> DIED_AT =
      coalesce(OUTBOX_EVENTS.DIED_AT, OUTBOX_EVENTS.RECORDED_AT);

  private static final Field<String> REASON = coalesce(EventReads.LAST_ERROR, inline(""));

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;
  private final Statement<UUID, EventDetails> details;
  private final Statement<UUID, RecordedEvent> contents;

  OutboxAdmin(QueueExtension queue) {
    this.transactions = queue.transactions();
    this.dialect = queue.dialect();
    this.details = Statement.lazily(() -> EventReads.details(dialect.get()));
    this.contents = Statement.lazily(() -> EventReads.contents(dialect.get()));
  }

  /**
   * {@return dead events, including skipped ones, ordered by the time at which they became dead}
   *
   * @param limit their maximum number, 1 to 10,000
   */
  public List<DeadEvent> dead(int limit) {
    return dead(trueCondition(), List.of(OUTBOX_EVENTS.DIED_AT, OUTBOX_EVENTS.EVENT_ID), limit);
  }

  /**
   * {@return dead events of an aggregate, including skipped ones, in their order}
   *
   * @param aggregate the aggregate
   * @param limit their maximum number, 1 to 10,000
   */
  public List<DeadEvent> dead(Aggregate aggregate, int limit) {
    return dead(isOf(aggregate), List.of(OUTBOX_EVENTS.POSITION), limit);
  }

  private List<DeadEvent> dead(Condition which, List<? extends OrderField<?>> order, int limit) {
    requireLimit(limit);
    return run(
        dsl ->
            dsl.select(
                    OUTBOX_EVENTS.EVENT_ID,
                    OUTBOX_EVENTS.AGGREGATE_TYPE,
                    OUTBOX_EVENTS.AGGREGATE_ID,
                    OUTBOX_EVENTS.EVENT_TYPE,
                    DIED_AT,
                    OUTBOX_EVENTS.ATTEMPTS,
                    REASON)
                .from(OUTBOX_EVENTS)
                .where(OutboxPredicates.DEAD)
                .and(which)
                .orderBy(order)
                .limit(limit)
                .fetch(
                    row ->
                        new DeadEvent(
                            row.get(OUTBOX_EVENTS.EVENT_ID),
                            aggregate(row),
                            row.get(OUTBOX_EVENTS.EVENT_TYPE),
                            row.get(DIED_AT),
                            row.get(OUTBOX_EVENTS.ATTEMPTS),
                            row.get(REASON))));
  }

  private static Aggregate aggregate(Record row) {
    return new Aggregate(
        row.get(OUTBOX_EVENTS.AGGREGATE_TYPE), row.get(OUTBOX_EVENTS.AGGREGATE_ID));
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
   *
   * @param event the id of the event
   * @return the event, or empty if there is none
   */
  public Optional<EventDetails> find(UUID event) {
    return transactions.run(details, event).stream().findFirst();
  }

  /**
   * Finds an event with its headers and payload, as publishers receive it. A published event is
   * found while it is retained. Needs a role that may read payloads.
   *
   * @param event the id of the event
   * @return the event, or empty if there is none
   */
  public Optional<RecordedEvent> read(UUID event) {
    return transactions.run(contents, event).stream().findFirst();
  }

  /**
   * {@return blocked aggregates, beginning with the one that has been blocked longest}
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
                            new Aggregate(
                                row.get(OUTBOX_BLOCKED.AGGREGATE_TYPE),
                                row.get(OUTBOX_BLOCKED.AGGREGATE_ID)),
                            row.get(OUTBOX_BLOCKED.BLOCKED_AT),
                            row.get(OUTBOX_BLOCKED.RETRY_AT))));
  }

  /** {@return the relays that took the latest lease of a shard, ordered by name} */
  public List<RelayActivity> relays() {
    Condition isLeased = OUTBOX_SHARDS.LEASE_EXPIRES_AT.gt(DatabaseClock.STATEMENT_START);
    // Another program may have written a time that Java cannot represent.
    Field<Instant> leasedAt =
        least(greatest(max(OUTBOX_SHARDS.LEASED_AT), inline(Instant.EPOCH)), inline(LAST_INSTANT));
    Field<String> relay = left(OUTBOX_SHARDS.LEASED_BY, inline(LONGEST_NAME));
    Field<Integer> shards = count().filterWhere(isLeased);
    return run(
        dsl ->
            dsl.select(relay, leasedAt, shards)
                .from(OUTBOX_SHARDS)
                .where(OUTBOX_SHARDS.LEASED_BY.isNotNull())
                .groupBy(relay)
                .orderBy(relay)
                .fetch(
                    row -> new RelayActivity(row.get(relay), row.get(leasedAt), row.get(shards))));
  }

  /**
   * Makes relays try a dead event again. If it was skipped, later events of its aggregate may have
   * been published before it. If an earlier event of its aggregate is dead and was not skipped, the
   * redriven event waits until that one is redriven or skipped.
   *
   * @param event the id of the event
   * @return whether the event was dead
   */
  public boolean redrive(UUID event) {
    return !redrive(List.of(event)).isEmpty();
  }

  /**
   * Makes relays try dead events again. The events of an aggregate change in one transaction, so
   * that they are published in their order.
   *
   * @param events the ids of the events
   * @return the ids of those that were dead
   */
  public Set<UUID> redrive(Collection<UUID> events) {
    Condition areGiven = OUTBOX_EVENTS.EVENT_ID.eq(any(events.toArray(UUID[]::new)));
    List<Aggregate> aggregates =
        run(
            dsl ->
                dsl.selectDistinct(OUTBOX_EVENTS.AGGREGATE_TYPE, OUTBOX_EVENTS.AGGREGATE_ID)
                    .from(OUTBOX_EVENTS)
                    .where(OutboxPredicates.DEAD)
                    .and(areGiven)
                    .fetch(OutboxAdmin::aggregate));
    Set<UUID> redriven = new LinkedHashSet<>();
    for (Aggregate aggregate : aggregates) {
      redriven.addAll(redrive(aggregate, areGiven));
    }
    return redriven;
  }

  /**
   * Makes relays try all dead events of an aggregate again, including skipped ones. They are
   * published in their order, before the events that wait for them.
   *
   * @param aggregate the aggregate
   * @return the number of events that were dead
   */
  public int redrive(Aggregate aggregate) {
    return redrive(aggregate, trueCondition()).size();
  }

  private List<UUID> redrive(Aggregate aggregate, Condition which) {
    return run(
        dsl -> {
          lock(dsl, aggregate);
          List<UUID> redriven =
              dsl.update(OUTBOX_EVENTS)
                  .set(
                      OUTBOX_EVENTS.STATUS,
                      OutboxPredicates.literal(OutboxPredicates.BLOCKED_LITERAL))
                  .set(OUTBOX_EVENTS.ATTEMPTS, 0)
                  .set(OUTBOX_EVENTS.DIED_AT, castNull(OUTBOX_EVENTS.DIED_AT))
                  .where(OutboxPredicates.DEAD)
                  .and(isOf(aggregate))
                  .and(which)
                  .returningResult(OUTBOX_EVENTS.EVENT_ID)
                  .fetch(OUTBOX_EVENTS.EVENT_ID);
          if (!redriven.isEmpty()) {
            retryNow(dsl, aggregate);
          }
          return redriven;
        });
  }

  /**
   * Lets a blocked aggregate continue: its dead events stay dead, and the later ones are published
   * without them. The dead events count as skipped from then on. An event that waits for its next
   * attempt is tried at once.
   *
   * @param aggregate the aggregate
   * @return whether the aggregate was blocked
   */
  public boolean unblock(Aggregate aggregate) {
    return run(
        dsl -> {
          lock(dsl, aggregate);
          dsl.update(OUTBOX_EVENTS)
              .set(OUTBOX_EVENTS.STATUS, OutboxPredicates.literal(OutboxPredicates.SKIPPED_LITERAL))
              .where(OutboxPredicates.BLOCKING)
              .and(isOf(aggregate))
              .execute();
          if (dsl.fetchExists(
              selectOne()
                  .from(OUTBOX_EVENTS)
                  .where(OutboxPredicates.BLOCKED)
                  .and(isOf(aggregate)))) {
            retryNow(dsl, aggregate);
            return true;
          }
          return dsl.deleteFrom(OUTBOX_BLOCKED)
                  .where(OUTBOX_BLOCKED.AGGREGATE_TYPE.eq(aggregate.type()))
                  .and(OUTBOX_BLOCKED.AGGREGATE_ID.eq(aggregate.id()))
                  .execute()
              > 0;
        });
  }

  private static Condition isOf(Aggregate aggregate) {
    return OUTBOX_EVENTS
        .AGGREGATE_TYPE
        .eq(aggregate.type())
        .and(OUTBOX_EVENTS.AGGREGATE_ID.eq(aggregate.id()));
  }

  /** Makes relays read the blocked events of an aggregate at once. */
  private static void retryNow(DSLContext dsl, Aggregate aggregate) {
    dsl.insertInto(OUTBOX_BLOCKED)
        .set(OUTBOX_BLOCKED.AGGREGATE_TYPE, aggregate.type())
        .set(OUTBOX_BLOCKED.AGGREGATE_ID, aggregate.id())
        .set(OUTBOX_BLOCKED.SHARD, (short) aggregate.shard())
        .set(OUTBOX_BLOCKED.RETRY_AT, DatabaseClock.NOW)
        .onConflict(OUTBOX_BLOCKED.AGGREGATE_TYPE, OUTBOX_BLOCKED.AGGREGATE_ID)
        .doUpdate()
        .set(OUTBOX_BLOCKED.RETRY_AT, DatabaseClock.NOW)
        .set(OUTBOX_BLOCKED.SHARD, (short) aggregate.shard())
        .execute();
  }

  /** {@return how far the relays are behind} */
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
          Field<Instant> since =
              coalesce(
                  least(
                      min(first.field(OUTBOX_EVENTS.RECORDED_AT)),
                      min(retry.field(OUTBOX_BLOCKED.RETRY_AT))),
                  DatabaseClock.STATEMENT_START);
          Record times =
              dsl.select(since, DatabaseClock.STATEMENT_START)
                  .from(OUTBOX_SHARDS)
                  .leftJoin(first)
                  .on(trueCondition())
                  .leftJoin(retry)
                  .on(trueCondition())
                  .fetchSingle();
          long pending = counted(dsl, OutboxPredicates.PENDING);
          long blocked = counted(dsl, OutboxPredicates.BLOCKED);
          Duration oldest =
              Duration.between(times.get(since), times.get(DatabaseClock.STATEMENT_START));
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

  /**
   * Locks the aggregate's shard, so that no relay records a batch of it until the transaction ends.
   */
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
