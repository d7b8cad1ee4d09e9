package dev.skipjack.outbox;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.sql.Chunks;
import dev.skipjack.sql.FollowUp;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Records events in the application's transactions, and builds the relays that publish them. It
 * uses the database and the schema of a queue.
 *
 * <p>Immutable and safe for any number of threads; create one instance and share it.
 */
public final class Outbox {

  /** The maximum number of events per statement. */
  private static final int CHUNK = 500;

  private final JobQueue queue;
  private final PayloadCodec codec;
  private final @Nullable FollowUp wakeUp;
  private final Statement<NewEvent, Long> recordOne;
  private final Statement<List<NewEvent>, Long> recordAll;
  private final EventIds ids = new EventIds();
  private final OutboxAdmin admin;

  private Outbox(JobQueue queue) {
    QueueExtension extension = queue.extension();
    this.queue = queue;
    this.codec = queue.codec();
    this.wakeUp = extension.wakeUpAtCommit().of(RelayListener.RECORDED);
    this.recordOne = Statement.lazily(() -> RecordStatement.ofOne(extension.dialect().get()));
    this.recordAll = Statement.lazily(() -> RecordStatement.ofAll(extension.dialect().get()));
    this.admin = new OutboxAdmin(extension);
  }

  /**
   * Creates an outbox in the schema of a queue. Payloads are encoded with the queue's codec, and
   * relays are woken unless the queue sends no wake-ups.
   *
   * @param queue the queue
   * @return the outbox
   */
  public static Outbox on(JobQueue queue) {
    return new Outbox(queue);
  }

  /**
   * {@return a recorder that uses the open transaction of this connection} It neither ends the
   * transaction nor closes the connection.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   */
  public EventRecorder in(Connection transaction) {
    return events -> {
      try {
        return record(transaction, prepare(events));
      } catch (SQLException failure) {
        throw OwnTransactions.refused(failure);
      }
    };
  }

  /**
   * {@return a recorder that uses the open transaction of this context} Database errors are thrown
   * as jOOQ's {@code DataAccessException}.
   *
   * @param transaction a context with an open transaction, for example {@code configuration.dsl()}
   *     of the configuration that jOOQ passes to a transactional lambda
   */
  public EventRecorder in(DSLContext transaction) {
    return events -> {
      List<NewEvent> prepared = prepare(events);
      return transaction.connectionResult(connection -> record(connection, prepared));
    };
  }

  private List<NewEvent> prepare(List<Event> events) {
    return events.stream().map(event -> NewEvent.of(ids.next(), event, codec)).toList();
  }

  /** Records the last event separately, because its statement also sends the wake-up. */
  private List<UUID> record(Connection transaction, List<NewEvent> events) throws SQLException {
    if (!events.isEmpty()) {
      Session session = Session.in(transaction);
      int last = events.size() - 1;
      for (List<NewEvent> chunk :
          Chunks.of(events.subList(0, last), CHUNK, event -> event.payload().length)) {
        List<Long> unused = session.run(recordAll, chunk);
      }
      List<Long> unused = session.run(recordOne, events.get(last), wakeUp);
    }
    return events.stream().map(NewEvent::id).toList();
  }

  /**
   * {@return a builder for a relay that publishes the recorded events}
   *
   * @param publisher sends the events to their destination
   */
  public Relay.Builder relay(Publisher publisher) {
    return Relay.builder(queue, publisher);
  }

  /** {@return the data source of the queue, in whose database the events are recorded} */
  public DataSource dataSource() {
    return queue.dataSource();
  }

  /** {@return the queries and operations for operators} */
  public OutboxAdmin admin() {
    return admin;
  }
}
