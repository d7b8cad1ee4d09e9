package dev.skipjack.spring;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueEnqueuer;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Enqueues unique jobs in Spring's transactions, as {@link Jobs} enqueues other jobs. By default, a
 * job that is enqueued in a transaction exists if and only if the transaction commits. Inject it as
 * {@link UniqueEnqueuer}.
 *
 * <p>{@link UniqueJobs} itself does not join Spring's transactions: its enqueue methods commit at
 * once. Use it to find and cancel unique jobs.
 *
 * <p>Safe for any number of threads.
 */
public final class SpringUniqueJobs implements UniqueEnqueuer {

  private final UniqueJobs jobs;
  private final TransactionalWrites writes;
  private final HandledTypes handled;

  /**
   * Creates an instance, for applications with several queues; the starter creates the instance for
   * a single queue.
   *
   * @param queue the queue
   * @param dataSource the data source of the application's transactions, in whose database the
   *     queue is
   * @param transaction how enqueues use the caller's transaction
   */
  public SpringUniqueJobs(JobQueue queue, DataSource dataSource, EnqueueTransaction transaction) {
    this(queue, dataSource, transaction, HandledTypes.UNKNOWN);
  }

  /**
   * @param handled the types of the jobs that the application handles
   */
  SpringUniqueJobs(
      JobQueue queue, DataSource dataSource, EnqueueTransaction transaction, HandledTypes handled) {
    this.jobs = UniqueJobs.on(Objects.requireNonNull(queue, "queue"));
    this.writes =
        new TransactionalWrites(
            RawDataSource.of(Objects.requireNonNull(dataSource, "dataSource")),
            Objects.requireNonNull(transaction, "transaction"),
            TransactionalWrites.Subject.JOB);
    this.handled = handled;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException also if the application handles the kind with another type
   * @throws org.springframework.transaction.IllegalTransactionStateException if the caller's
   *     transaction is read-only, or if there is none or it has ended and {@link
   *     EnqueueTransaction#MANDATORY} requires one. No SQL was sent
   */
  @Override
  public <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return with(type, enqueuer -> enqueuer.enqueue(type, payload, unique, options));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException also if the application handles the kind with another type
   * @throws org.springframework.transaction.IllegalTransactionStateException as for {@link
   *     #enqueue(JobType, Object, Unique, UnaryOperator)}
   */
  @Override
  public <T> List<EnqueueResult> enqueueAll(
      JobType<T> type, List<T> payloads, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return with(type, enqueuer -> enqueuer.enqueueAll(type, payloads, unique, options));
  }

  private <R> R with(JobType<?> type, Function<UniqueEnqueuer, R> enqueue) {
    handled.requireSame(type);
    return writes.run(
        type.kind(), connection -> enqueue.apply(jobs.in(connection)), () -> enqueue.apply(jobs));
  }
}
