package dev.skipjack.spring;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.outbox.Outbox;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Records events in Spring's transactions: an event exists if and only if the transaction in which
 * it was recorded commits. Inject it as {@link EventRecorder}.
 *
 * <p>An event must be committed with the rows that it reports, so recording one without a
 * transaction on the queue's {@code DataSource} is rejected. Safe for any number of threads.
 */
public final class SpringEventRecorder implements EventRecorder {

  private final Outbox outbox;
  private final TransactionalWrites writes;

  /**
   * Creates an instance, for applications with several queues; the starter creates the instance for
   * a single queue.
   *
   * @param outbox the outbox
   * @param dataSource the data source of the application's transactions, in whose database the
   *     outbox is
   */
  public SpringEventRecorder(Outbox outbox, DataSource dataSource) {
    this.outbox = Objects.requireNonNull(outbox, "outbox");
    this.writes =
        new TransactionalWrites(
            RawDataSource.of(Objects.requireNonNull(dataSource, "dataSource")),
            EnqueueTransaction.MANDATORY,
            TransactionalWrites.Subject.EVENT);
  }

  /**
   * {@inheritDoc}
   *
   * @throws org.springframework.transaction.IllegalTransactionStateException if there is no
   *     transaction on the queue's data source, or if it is read-only or has ended. No SQL was sent
   */
  @Override
  public List<UUID> recordAll(List<Event> events) {
    if (events.isEmpty()) {
      return List.of();
    }
    return writes.run(
        events.get(0).type(),
        connection -> outbox.in(connection).recordAll(events),
        () -> {
          throw new AssertionError("An event was recorded without a transaction.");
        });
  }
}
