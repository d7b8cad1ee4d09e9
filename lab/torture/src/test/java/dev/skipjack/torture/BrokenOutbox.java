package dev.skipjack.torture;

import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.outbox.Inbox;
import dev.skipjack.outbox.Outbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;

/** Outboxes that each break one guarantee, with the counter that must report the violation. */
enum BrokenOutbox {
  /** The relay reads the events after the last one it has read, and misses late commits. */
  READS_BY_A_CURSOR(Counter.OUTBOX_MISSED),

  /** The relay marks an event as published before it publishes it. */
  MARKS_BEFORE_PUBLISHING(Counter.OUTBOX_MISSED),

  /** The relay publishes later events of an aggregate before it tries a failed one again. */
  CONTINUES_AFTER_A_FAILED_EVENT(Counter.OUTBOX_MISORDERED),

  /** Two relays read the same events at the same time. */
  LEASES_NOTHING(Counter.OUTBOX_DUPLICATES) {
    @Override
    int relays() {
      return 2;
    }
  },

  /** The relay publishes the events of some aggregates only if there are no others. */
  STARVES_SOME_AGGREGATES(Counter.OUTBOX_DELAYED) {
    @Override
    int transactions() {
      return 500; // so that many events overtake others
    }

    @Override
    int rank(Change change) {
      return change.aggregate() <= 25 ? 1 : 0;
    }
  },

  /** The consumer's inbox accepts every copy of an event. */
  INBOX_ACCEPTS_TWICE(Counter.INBOX_VIOLATIONS) {
    @Override
    InboxConsumer.Filter inbox(Inbox real) {
      return (transaction, event, effect) -> {
        effect.run();
        return true;
      };
    }
  },

  /** Events are recorded in a transaction of their own. */
  RECORDS_IN_ANOTHER_TRANSACTION(Counter.OUTBOX_PHANTOM) {
    @Override
    Function<Connection, EventRecorder> recorder(Outbox outbox, DataSource dataSource) {
      return callers -> events -> record(outbox, dataSource, events);
    }
  };

  private final Counter counter;

  BrokenOutbox(Counter counter) {
    this.counter = counter;
  }

  /** Returns the counter that the outbox raises. It raises no other. */
  Counter counter() {
    return counter;
  }

  int relays() {
    return 1;
  }

  Function<Connection, EventRecorder> recorder(Outbox outbox, DataSource dataSource) {
    return outbox::in;
  }

  int transactions() {
    return OutboxRig.TRANSACTIONS;
  }

  /** Returns a number that is larger for events that the relay publishes after others. */
  int rank(Change change) {
    return 0;
  }

  InboxConsumer.Filter inbox(Inbox real) {
    return real::once;
  }

  private static List<UUID> record(
      Outbox outbox, DataSource dataSource, List<dev.skipjack.outbox.Event> events) {
    try (Connection own = dataSource.getConnection()) {
      own.setAutoCommit(false);
      List<UUID> ids = outbox.in(own).recordAll(events);
      own.commit();
      return ids;
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
