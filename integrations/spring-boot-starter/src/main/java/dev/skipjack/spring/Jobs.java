package dev.skipjack.spring;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Enqueues jobs in Spring's transactions.
 *
 * <pre>{@code
 * @Transactional
 * void signUp(User user) {
 *   users.save(user);
 *   jobs.enqueue(SEND_WELCOME, new SendWelcome(user.id()));
 * }
 * }</pre>
 *
 * <p>With {@link EnqueueTransaction#JOIN}, which is the default, a job that is enqueued in a
 * transaction exists if and only if the transaction commits. All ways to use Spring's transactions
 * with the queue's {@code DataSource} are supported: JdbcTemplate, jOOQ, MyBatis, Spring Data JDBC,
 * and JPA if its transaction manager exposes the JDBC connection, as it does with Hibernate. A
 * transaction on another {@code DataSource} is not joined; the first such enqueue is logged as a
 * warning.
 *
 * <p>If a callback enqueues a job after the end of a transaction, the job is committed on the same
 * connection when all callbacks have returned, provided that the transaction manager is a bean.
 *
 * <p>After the commit, workers are woken, once per transaction and queue at most. If the queue
 * gives every thread an equivalent connection ({@link JobQueue.Builder#sameForAllThreads}) and a
 * worker of the application has more free slots than it keeps for other transactions, the first job
 * of the transaction starts directly instead. It must be due, without a key and with more than one
 * attempt, and the transaction must take less than a second and must not be serializable. The
 * direct start and the wake-ups use the connection of the transaction.
 *
 * <p>If the handler of this application has a type with another payload version, payload class or
 * queue, the enqueue is rejected, because the handler could not run the job. A queue that the
 * application's worker serves is accepted, and {@link EnqueueOptions} may set any queue.
 *
 * <p>Safe for any number of threads.
 */
public final class Jobs implements JobEnqueuer {

  private final JobQueue queue;
  private final DataSource dataSource;
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
  public Jobs(JobQueue queue, DataSource dataSource, EnqueueTransaction transaction) {
    this(queue, dataSource, transaction, HandledTypes.UNKNOWN);
  }

  /**
   * @param handled the types of the jobs that the application handles
   */
  Jobs(
      JobQueue queue, DataSource dataSource, EnqueueTransaction transaction, HandledTypes handled) {
    this.queue = Objects.requireNonNull(queue, "queue");
    this.dataSource = RawDataSource.of(Objects.requireNonNull(dataSource, "dataSource"));
    this.writes =
        new TransactionalWrites(
            this.dataSource,
            Objects.requireNonNull(transaction, "transaction"),
            TransactionalWrites.Subject.JOB);
    this.handled = handled;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException also if the application handles the kind with another type
   * @throws IllegalTransactionStateException if the caller's transaction is read-only, or if there
   *     is none or it has ended and {@link EnqueueTransaction#MANDATORY} requires one. No SQL was
   *     sent
   */
  @Override
  public <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return with(type, enqueuer -> enqueuer.enqueue(type, payload, options));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalTransactionStateException as for {@link #enqueue(JobType, Object,
   *     UnaryOperator)}
   */
  @Override
  public <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options) {
    return with(type, enqueuer -> enqueuer.enqueueAll(type, payloads, options));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalTransactionStateException as for {@link #enqueue(JobType, Object,
   *     UnaryOperator)}
   */
  @Override
  public <T> EnqueueResult enqueueOnce(
      JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return with(type, enqueuer -> enqueuer.enqueueOnce(type, payload, options));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalTransactionStateException as for {@link #enqueue(JobType, Object,
   *     UnaryOperator)}
   */
  @Override
  public <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options) {
    return with(type, enqueuer -> enqueuer.enqueueAllOnce(type, payloads, options));
  }

  private <R> R with(JobType<?> type, Function<JobEnqueuer, R> enqueue) {
    handled.requireSame(type);
    return writes.run(
        type.kind(), connection -> enqueue.apply(in(connection)), () -> enqueue.apply(queue));
  }

  private JobEnqueuer in(Connection connection) {
    // For instance, no synchronization can be registered after the completion.
    return TransactionSynchronizationManager.isSynchronizationActive()
        ? SpringTransaction.current(queue, dataSource).enqueuer(connection)
        : queue.in(connection);
  }
}
