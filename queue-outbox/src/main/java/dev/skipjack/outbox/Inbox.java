package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.INBOX_EVENTS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Lets a consumer process each event once, although events may arrive more than once. The effect
 * and the event's id are committed in one transaction. The effect must be in the same database.
 *
 * <p>Immutable and safe for any number of threads.
 */
public final class Inbox {

  private static final int BATCH = 5_000;

  private final String consumer;
  private final OwnTransactions transactions;
  private final Statement<Mark, UUID> mark;
  private final Statement<Duration, UUID> prune;

  private Inbox(QueueExtension queue, String consumer) {
    this.consumer = Event.requireName("Consumer", consumer);
    this.transactions = queue.transactions();
    this.mark = Statement.lazily(() -> markStatement(queue.dialect().get()));
    this.prune = Statement.lazily(() -> pruneStatement(queue.dialect().get()));
  }

  record Mark(String consumer, UUID event) {}

  /**
   * Creates the inbox of a consumer. Different consumers process the same event independently.
   *
   * @param queue the queue
   * @param consumer the name of the consumer, 1 to 200 characters of {@code a-z A-Z 0-9 _ . : / -}
   * @return the inbox
   */
  public static Inbox on(JobQueue queue, String consumer) {
    return new Inbox(queue.extension(), consumer);
  }

  /**
   * Runs an effect unless this consumer has processed the event. If another transaction is
   * processing it, waits for the end of that transaction.
   *
   * <p>Under REPEATABLE READ, the call fails with a serialization failure (40001) if another
   * transaction processed the event and committed after this one began. Callers then repeat the
   * transaction.
   *
   * @param <E> the type of the exception that the effect may throw
   * @param transaction a connection with an open transaction, in which the effect writes
   * @param event the id with which the event was published
   * @param effect what to do once
   * @return whether the effect ran
   * @throws IllegalArgumentException if no transaction is open
   * @throws E if the effect throws it; roll back the transaction then
   */
  public <E extends Exception> boolean once(Connection transaction, UUID event, Effect<E> effect)
      throws E {
    boolean isFirst;
    try {
      isFirst = !Session.in(transaction).run(mark, new Mark(consumer, event), null).isEmpty();
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
    if (isFirst) {
      effect.run();
    }
    return isFirst;
  }

  /**
   * Deletes the ids of events that were processed more than {@code age} ago, for all consumers. A
   * duplicate that arrives after that is processed again. Runs in transactions of its own.
   *
   * @param age the minimum age, not negative
   * @return the number of deleted ids
   */
  public long prune(Duration age) {
    if (age.isNegative()) {
      throw new IllegalArgumentException("Age %s must not be negative.".formatted(age));
    }
    long pruned = 0;
    int last;
    do {
      last = transactions.run(prune, age).size();
      pruned += last;
    } while (last == BATCH);
    return pruned;
  }

  /** The effect of an event. */
  @FunctionalInterface
  public interface Effect<E extends Exception> {
    /**
     * Writes the effect in the transaction of the call.
     *
     * @throws E if the effect fails
     */
    void run() throws E;
  }

  static Statement<Mark, UUID> markStatement(DSLContext dialect) {
    return Statement.selfContained(
        dialect,
        insertInto(INBOX_EVENTS)
            .set(INBOX_EVENTS.CONSUMER, Texts.param("consumer"))
            .set(INBOX_EVENTS.EVENT_ID, cast(param("event_id", UUID.class), SQLDataType.UUID))
            .onConflictDoNothing()
            .returning(INBOX_EVENTS.EVENT_ID),
        call -> new Arguments().text("consumer", call.consumer()).uuid("event_id", call.event()),
        row -> row.uuid(INBOX_EVENTS.EVENT_ID));
  }

  static Statement<Duration, UUID> pruneStatement(DSLContext dialect) {
    Field<UUID> eventId = field(name("expired", "event_id"), UUID.class);
    Field<String> consumer = field(name("expired", "consumer"), String.class);
    CommonTableExpression<?> expired =
        name("expired")
            .asMaterialized(
                select(INBOX_EVENTS.EVENT_ID, INBOX_EVENTS.CONSUMER)
                    .from(INBOX_EVENTS)
                    .where(
                        INBOX_EVENTS.RECEIVED_AT.lt(
                            DatabaseClock.plusMicros(
                                DatabaseClock.STATEMENT_START, param("age", Long.class))))
                    .orderBy(INBOX_EVENTS.RECEIVED_AT)
                    .limit(inline(BATCH))
                    .forUpdate()
                    .skipLocked());
    return Statement.of(
        dialect,
        with(expired)
            .delete(INBOX_EVENTS)
            .using(expired)
            .where(INBOX_EVENTS.EVENT_ID.eq(eventId))
            .and(INBOX_EVENTS.CONSUMER.eq(consumer))
            .returning(INBOX_EVENTS.EVENT_ID),
        age -> new Arguments().number("age", -DatabaseClock.micros(age)),
        row -> row.uuid(INBOX_EVENTS.EVENT_ID));
  }
}
