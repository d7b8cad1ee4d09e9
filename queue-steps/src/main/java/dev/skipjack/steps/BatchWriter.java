package dev.skipjack.steps;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.steps.BatchTable.DeadOf;
import dev.skipjack.steps.BatchTable.Growth;
import dev.skipjack.steps.BatchTable.NewBatch;
import dev.skipjack.steps.BatchTable.Seal;
import dev.skipjack.steps.BatchTable.StatusOf;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Writes batches and their jobs in an open transaction. Safe for any number of threads. */
final class BatchWriter {

  private final QueueExtension queue;
  private final Statement<NewBatch, Long> open;
  private final Statement<Growth, Long> grow;
  private final Statement<Seal, Long> seal;
  private final Statement<Long, Long> cancel;
  private final Statement<StatusOf, BatchStatus> status;
  private final Statement<StatusOf, BatchStatus> unfinished;
  private final Statement<DeadOf, JobId> dead;

  BatchWriter(QueueExtension queue) {
    this.queue = queue;
    Supplier<DSLContext> dialect = () -> queue.dialect().get();
    this.open = Statement.lazily(() -> BatchTable.open(dialect.get()));
    this.grow = Statement.lazily(() -> BatchTable.grow(dialect.get()));
    this.seal = Statement.lazily(() -> BatchTable.seal(dialect.get()));
    this.cancel = Statement.lazily(() -> BatchTable.cancel(dialect.get()));
    this.status = Statement.lazily(() -> BatchTable.status(dialect.get()));
    this.unfinished = Statement.lazily(() -> BatchTable.unfinished(dialect.get()));
    this.dead = Statement.lazily(() -> BatchTable.dead(dialect.get()));
  }

  /** Returns the jobs to add to a batch. Rejects invalid values before any SQL runs. */
  <P> List<NewJob> jobs(
      long batch, JobType<P> type, List<P> payloads, UnaryOperator<EnqueueOptions> options) {
    return payloads.stream()
        .map(payload -> queue.jobFactory().create(type, payload, options).ownedBy(batch))
        .toList();
  }

  <P> Callback callback(JobType<P> type, P payload) {
    return Callback.of(queue.jobFactory().create(type, payload, UnaryOperator.identity()));
  }

  /**
   * Opens a batch.
   *
   * @param owner the batch that contains it, or the job that waits for it, or null
   */
  long open(Session session, String name, @Nullable Long owner) throws SQLException {
    return session.run(open, new NewBatch(name, owner)).get(0);
  }

  /** Counts added jobs. Afterwards, the batch cannot finish until this transaction has ended. */
  void grow(Session session, long batch, int count) throws SQLException {
    if (session.run(grow, new Growth(batch, count)).isEmpty()) {
      throw new QueueException(
          "Nothing was added to batch %d, because %s.".formatted(batch, why(session, batch)), null);
    }
  }

  private String why(Session session, long batch) throws SQLException {
    return status(session, batch)
        .map(
            found ->
                found.finishedAt().isPresent()
                    ? "it has finished. Open another batch"
                    : "it was cancelled. Open another batch")
        .orElse("there is no such batch. It was never opened, or was pruned after it had finished");
  }

  private Optional<BatchStatus> status(Session session, long batch) throws SQLException {
    return session.run(status, new StatusOf(batch, 1, 1)).stream().findFirst();
  }

  /** Inserts jobs. */
  List<EnqueueResult> write(Session session, List<NewJob> jobs) throws SQLException {
    return queue.writer().write(session, jobs);
  }

  void seal(Session session, long batch, DeadPolicy policy, Map<Callback.Event, Callback> callbacks)
      throws SQLException {
    if (session.run(seal, new Seal(batch, policy, callbacks)).isEmpty()) {
      throw new QueueException(
          "Batch %d was not sealed, because %s."
              .formatted(
                  batch,
                  status(session, batch)
                      .map(found -> "it was sealed or cancelled before")
                      .orElse("there is no such batch")),
          null);
    }
  }

  boolean cancel(Session session, long batch) throws SQLException {
    return !session.run(cancel, batch).isEmpty();
  }

  Optional<BatchStatus> find(Session session, long batch) throws SQLException {
    return session.run(status, new StatusOf(batch, 1, BatchStatus.MOST_COUNTED)).stream()
        .findFirst();
  }

  List<BatchStatus> unfinished(Session session, long after, int limit) throws SQLException {
    return session.run(unfinished, new StatusOf(after, limit, BatchStatus.MOST_COUNTED));
  }

  /** Returns the next dead jobs of a batch, whose ids are below {@code before}. */
  List<JobId> dead(Session session, long batch, long before, int limit) throws SQLException {
    return session.run(dead, new DeadOf(batch, before, limit));
  }

  QueueExtension queue() {
    return queue;
  }
}
