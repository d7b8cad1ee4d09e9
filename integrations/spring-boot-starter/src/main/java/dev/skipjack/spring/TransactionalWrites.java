package dev.skipjack.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
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
 * Writes to the queue's tables in Spring's current transaction, or in a transaction of the queue's
 * own if there is none. Safe for any number of threads.
 */
final class TransactionalWrites {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionalWrites.class);

  /**
   * The names of the classes whose methods an application calls. Some of these classes are
   * optional.
   */
  private static final Set<String> OURS =
      Set.of(
          TransactionalWrites.class.getName(),
          "dev.skipjack.spring.HandledTypes",
          "dev.skipjack.spring.Jobs",
          "dev.skipjack.api.JobEnqueuer",
          "dev.skipjack.spring.SpringUniqueJobs",
          "dev.skipjack.dedup.UniqueEnqueuer",
          "dev.skipjack.spring.SpringEventRecorder",
          "dev.skipjack.outbox.EventRecorder");

  /** The kind of a write, for messages. */
  enum Subject {
    JOB(
        "enqueued a job of kind '%s'",
        "skipjack.enqueue.transaction=mandatory", ", or set skipjack.enqueue.transaction=join"),
    EVENT("recorded an event of type '%s'", "an event", "");

    private final String action;

    /** The setting or the write that requires a transaction. */
    private final String rule;

    private final String wayOut;

    Subject(String action, String rule, String wayOut) {
      this.action = action;
      this.rule = rule;
      this.wayOut = wayOut;
    }
  }

  private final DataSource dataSource;
  private final EnqueueTransaction transaction;
  private final Subject subject;
  private final AtomicBoolean warnedOfOther = new AtomicBoolean();

  /**
   * @param dataSource the data source of the application's transactions
   * @param transaction how the writes use the caller's transaction
   */
  TransactionalWrites(DataSource dataSource, EnqueueTransaction transaction, Subject subject) {
    this.dataSource = dataSource;
    this.transaction = transaction;
    this.subject = subject;
  }

  /**
   * Writes in the caller's transaction, or in one of the queue's own.
   *
   * @param name the kind or the type of what is written
   * @param joined writes in the transaction that is open on a connection
   * @param own writes in a transaction of the queue's own
   * @throws IllegalTransactionStateException if the caller's transaction is read-only, or if there
   *     is none or it has ended and one is mandatory. No SQL was sent
   */
  <R> R run(String name, Function<Connection, R> joined, Supplier<R> own) {
    if (transaction == EnqueueTransaction.OWN) {
      return own.get();
    }
    if (!isConnectionBound()) {
      return withoutTransaction(name, own);
    }
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      Optional<EndedTransactions.Ended> ended = EndedTransactions.current(dataSource);
      // JdbcTemplate also binds a connection in a transaction on another data source.
      if (ended.isEmpty() && connection.getAutoCommit()) {
        return withoutTransaction(name, own);
      }
      requireWritable(name, connection);
      if (ended.isPresent()) {
        continueAfter(ended.get(), name, connection);
      }
      return joined.apply(connection);
    } catch (SQLException failure) {
      throw new CannotGetJdbcConnectionException(
          "The state of the caller's connection could not be read.", failure);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  private <R> R withoutTransaction(String name, Supplier<R> own) {
    boolean isInOther = TransactionSynchronizationManager.isActualTransactionActive();
    if (transaction == EnqueueTransaction.MANDATORY) {
      throw new IllegalTransactionStateException(
          isInOther
              ? "%s %s in a transaction on another data source, but %s requires one on the queue's. Name the transaction manager of the queue's data source in the @Transactional annotation%s."
                  .formatted(caller(), action(name), subject.rule, subject.wayOut)
              : "%s %s without a transaction on the queue's data source, which %s requires. Annotate the method with @Transactional%s."
                  .formatted(caller(), action(name), subject.rule, subject.wayOut));
    }
    if (isInOther && !warnedOfOther.getAndSet(true)) {
      LOG.warn(
          "Job enqueued in a transaction of its own, because the caller's is not on the queue's"
              + " data source; reported once kind={} caller={}",
          name,
          caller());
    }
    return own.get();
  }

  private void requireWritable(String name, Connection connection) throws SQLException {
    // Spring's flag refers to the innermost transaction, which may be on another data source. Only
    // managers of JDBC set the connection's own flag in any case.
    boolean isReadOnly = connection.isReadOnly();
    boolean isInnermostReadOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
    if (isReadOnly || (isInnermostReadOnly && !isOfJdbcManager())) {
      throw new IllegalTransactionStateException(
          "%s %s in %s. Remove readOnly = true from its @Transactional annotation, or use another transaction."
              .formatted(
                  caller(),
                  action(name),
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

  private void continueAfter(EndedTransactions.Ended ended, String name, Connection connection) {
    if (transaction == EnqueueTransaction.MANDATORY) {
      throw new IllegalTransactionStateException(
          "%s %s after the end of the transaction, but %s requires an open one. Do so before the commit, for example with @TransactionalEventListener(phase = BEFORE_COMMIT), or annotate the method with @Transactional(propagation = REQUIRES_NEW)."
              .formatted(caller(), action(name), subject.rule));
    }
    ended.continueOn(connection);
  }

  private boolean isConnectionBound() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.hasResource(dataSource);
  }

  private String action(String name) {
    return subject.action.formatted(name);
  }

  /** Returns the method of the application that writes, for messages. */
  static String caller() {
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
