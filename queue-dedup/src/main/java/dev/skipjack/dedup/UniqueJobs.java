package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.store.jooq.spi.HotStatement;
import dev.skipjack.store.jooq.spi.JobInsert;
import dev.skipjack.store.jooq.spi.OwnTransactions;
import dev.skipjack.store.jooq.spi.QueueExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/**
 * Unique jobs on a queue. Enqueueing through it runs in a transaction of its own; {@link #in} binds
 * to the caller's. Immutable and safe for any number of threads.
 *
 * <p>In READ COMMITTED every caller gets an id and never an exception for a duplicate. In a
 * caller's REPEATABLE READ or SERIALIZABLE transaction PostgreSQL answers 40001 when the rival
 * committed after the caller's snapshot; it reaches the caller unchanged. Two transactions that
 * enqueue the same keys in opposite orders can deadlock (40P01).
 */
public final class UniqueJobs implements UniqueEnqueuer {

  /**
   * Each repeat means that the key changed hands within one statement; so often in a row is no race
   * any more.
   */
  private static final int MOST_TRIES = 50;

  private final QueueExtension queue;
  private final HotStatement insert;

  private UniqueJobs(QueueExtension queue) {
    this.queue = queue;
    this.insert = HotStatement.render(queue.dialect(), UniqueInsert.query());
  }

  /** Unique jobs on {@code queue}. Make one and share it. */
  public static UniqueJobs on(JobQueue queue) {
    return new UniqueJobs(queue.extension());
  }

  /**
   * Enqueues in the transaction that is open on {@code transaction}; errors of the database are
   * jOOQ's, untouched.
   */
  public UniqueEnqueuer in(DSLContext transaction) {
    return bound(job -> transaction.connectionResult(connection -> enqueue(connection, job)));
  }

  /**
   * Enqueues in the transaction that is open on {@code transaction}, which is neither committed nor
   * closed.
   */
  public UniqueEnqueuer in(Connection transaction) {
    return bound(
        job -> {
          try {
            return enqueue(transaction, job);
          } catch (SQLException failure) {
            throw OwnTransactions.refused(failure);
          }
        });
  }

  @Override
  public <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return bound(
            job ->
                repeat(
                    () ->
                        queue
                            .transactions()
                            .run(insert, JobInsert.arguments(List.of(job)), UniqueInsert::read)
                            .get(0),
                    job))
        .enqueue(type, payload, unique, options);
  }

  private UniqueEnqueuer bound(Function<NewJob, EnqueueResult> insertion) {
    return new UniqueEnqueuer() {
      @Override
      public <T> EnqueueResult enqueue(
          JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
        NewJob draft = queue.drafts().draft(type, payload, options);
        return insertion.apply(draft.unique(UniqueKeys.ofKind(type.kind(), unique.keyOf(payload))));
      }
    };
  }

  private EnqueueResult enqueue(Connection connection, NewJob job) throws SQLException {
    return repeat(() -> once(connection, job), job);
  }

  private Optional<EnqueueResult> once(Connection connection, NewJob job) throws SQLException {
    return insert.run(connection, JobInsert.arguments(List.of(job)), UniqueInsert::read).get(0);
  }

  private static <E extends Exception> EnqueueResult repeat(Try<E> insertion, NewJob job) throws E {
    for (int i = 0; i < MOST_TRIES; i++) {
      Optional<EnqueueResult> result = insertion.run();
      if (result.isPresent()) {
        return result.get();
      }
    }
    throw new QueueException(
        "A unique job of kind '%s' was not enqueued: its key changed hands %d times in a row. Try again."
            .formatted(job.kind(), MOST_TRIES),
        null);
  }

  @FunctionalInterface
  private interface Try<E extends Exception> {
    Optional<EnqueueResult> run() throws E;
  }
}
