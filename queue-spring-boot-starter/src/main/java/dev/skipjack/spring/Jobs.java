package dev.skipjack.spring;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SimpleConnectionHandle;
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
 * <p>Workers are woken after the commit, once per transaction and queue at most, on the connection
 * of the transaction.
 *
 * <p>Safe for any number of threads.
 */
public final class Jobs implements JobEnqueuer {

  private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

  private static final Set<String> OURS = Set.of(Jobs.class.getName(), JobEnqueuer.class.getName());

  private final JobQueue queue;
  private final DataSource dataSource;
  private final EnqueueTransaction transaction;
  private final AtomicBoolean warnedOfOther = new AtomicBoolean();

  /**
   * Creates an instance, for applications with several queues; the starter creates the instance for
   * a single queue.
   *
   * @param dataSource the data source of the application's transactions, in whose database the
   *     queue is
   */
  public Jobs(JobQueue queue, DataSource dataSource, EnqueueTransaction transaction) {
    this.queue = Objects.requireNonNull(queue, "queue");
    this.dataSource = RawDataSource.of(Objects.requireNonNull(dataSource, "dataSource"));
    this.transaction = Objects.requireNonNull(transaction, "transaction");
  }

  /**
   * {@inheritDoc}
   *
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
    if (transaction == EnqueueTransaction.OWN) {
      return enqueue.apply(queue);
    }
    if (!isConnectionBound()) {
      return withoutTransaction(type, enqueue);
    }
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      Optional<EndedTransactions.Ended> ended = EndedTransactions.current(dataSource);
      // JdbcTemplate binds a connection also in a transaction on another data source.
      if (ended.isEmpty() && connection.getAutoCommit()) {
        return withoutTransaction(type, enqueue);
      }
      requireWritable(type, connection);
      if (ended.isPresent()) {
        continueAfter(ended.get(), type, connection);
      }
      return enqueue.apply(in(connection));
    } catch (SQLException failure) {
      throw new CannotGetJdbcConnectionException(
          "The state of the caller's connection could not be read.", failure);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  private <R> R withoutTransaction(JobType<?> type, Function<JobEnqueuer, R> enqueue) {
    boolean isInOther = TransactionSynchronizationManager.isActualTransactionActive();
    if (transaction == EnqueueTransaction.MANDATORY) {
      throw new IllegalTransactionStateException(
          isInOther
              ? "%s enqueued a job of kind '%s' in a transaction on another data source, but skipjack.enqueue.transaction=mandatory requires one on the queue's. Name the transaction manager of the queue's data source in the @Transactional annotation, or set skipjack.enqueue.transaction=join."
                  .formatted(caller(), type.kind())
              : "%s enqueued a job of kind '%s' without a transaction on the queue's data source, which skipjack.enqueue.transaction=mandatory requires. Annotate the method with @Transactional, or set skipjack.enqueue.transaction=join."
                  .formatted(caller(), type.kind()));
    }
    if (isInOther && !warnedOfOther.getAndSet(true)) {
      LOG.warn(
          "Job enqueued in a transaction of its own, because the caller's is not on the queue's"
              + " data source; reported once kind={} caller={}",
          type.kind(),
          caller());
    }
    return enqueue.apply(queue);
  }

  private void requireWritable(JobType<?> type, Connection connection) throws SQLException {
    // Spring's flag is that of the innermost transaction, which may be on another data source. Only
    // managers of JDBC set the connection's own flag in any case.
    boolean isReadOnly = connection.isReadOnly();
    boolean isInnermostReadOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
    if (isReadOnly || (isInnermostReadOnly && !isOfJdbcManager())) {
      throw new IllegalTransactionStateException(
          "%s enqueued a job of kind '%s' in %s. Remove readOnly = true from its @Transactional annotation, or enqueue the job in another transaction."
              .formatted(
                  caller(),
                  type.kind(),
                  isInnermostReadOnly
                      ? "the read-only transaction '%s'"
                          .formatted(TransactionSynchronizationManager.getCurrentTransactionName())
                      : "a read-only transaction"));
    }
  }

  private boolean isOfJdbcManager() {
    return TransactionSynchronizationManager.getResource(dataSource)
            instanceof ConnectionHolder holder
        && holder.getConnectionHandle() instanceof SimpleConnectionHandle;
  }

  private void continueAfter(
      EndedTransactions.Ended ended, JobType<?> type, Connection connection) {
    if (transaction == EnqueueTransaction.MANDATORY) {
      throw new IllegalTransactionStateException(
          "%s enqueued a job of kind '%s' after the end of the transaction, but skipjack.enqueue.transaction=mandatory requires an open one. Enqueue the job before the commit, for example with @TransactionalEventListener(phase = BEFORE_COMMIT), or annotate the method with @Transactional(propagation = REQUIRES_NEW)."
              .formatted(caller(), type.kind()));
    }
    ended.continueOn(connection);
  }

  private JobEnqueuer in(Connection connection) {
    // After the completion, for instance, no further synchronization can be registered.
    return TransactionSynchronizationManager.isSynchronizationActive()
        ? queue.in(connection, TransactionWakeUps.current(queue, dataSource).wakeUps())
        : queue.in(connection);
  }

  private boolean isConnectionBound() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.hasResource(dataSource);
  }

  private static String caller() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(frame -> !OURS.contains(frame.getClassName()))
                    .findFirst()
                    .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                    .orElse("The caller"));
  }
}
