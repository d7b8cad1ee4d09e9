package dev.skipjack.spring;

import dev.skipjack.handlers.HandlerTransactions;
import java.sql.Connection;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Calls transactional handlers in Spring's transactions.
 *
 * <p>Each call gets a new transaction. {@code @Transactional} methods that the handler calls join
 * it. If one of them marks it as rollback-only, the attempt fails. Safe for any number of threads.
 */
public final class SpringTransactions implements HandlerTransactions {

  private final PlatformTransactionManager manager;
  private final DataSource dataSource;

  /**
   * Creates an instance, for applications with several queues; the starter creates the instance for
   * a single queue.
   *
   * @param manager the transaction manager
   * @param dataSource the data source in whose database the queue is
   * @throws IllegalArgumentException if the manager's transactions do not use the data source
   */
  public SpringTransactions(PlatformTransactionManager manager, DataSource dataSource) {
    this.manager = Objects.requireNonNull(manager, "manager");
    this.dataSource = RawDataSource.of(Objects.requireNonNull(dataSource, "dataSource"));
    if (!areOn(manager, this.dataSource)) {
      throw new IllegalArgumentException(
          "The transactions of %s are not on the queue's data source %s. Pass a transaction manager of this data source."
              .formatted(manager, dataSource));
    }
  }

  /** Returns whether the transactions of a manager use the connections of a data source. */
  static boolean areOn(PlatformTransactionManager manager, DataSource dataSource) {
    if (manager instanceof ResourceTransactionManager known
        && known.getResourceFactory() instanceof DataSource own) {
      return RawDataSource.of(own) == dataSource;
    }
    // The manager of JPA, among others, has another resource, but may bind the connection too.
    TransactionStatus probe = manager.getTransaction(definition());
    try {
      return TransactionSynchronizationManager.hasResource(dataSource);
    } finally {
      manager.rollback(probe);
    }
  }

  private static TransactionDefinition definition() {
    return new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  /**
   * {@inheritDoc}
   *
   * @throws UnexpectedRollbackException if the handler returned normally, but its transaction was
   *     marked as rollback-only
   */
  @Override
  public void run(Callable<Boolean> handler, Consumer<Connection> completion) throws Exception {
    TransactionStatus transaction = manager.getTransaction(definition());
    boolean complete;
    try {
      complete = handler.call();
      if (complete) {
        complete(transaction, completion);
      }
    } catch (Throwable failure) {
      rollBackAfter(failure, transaction);
      throw failure;
    }
    if (complete) {
      manager.commit(transaction);
    } else {
      manager.rollback(transaction);
    }
  }

  private void complete(TransactionStatus transaction, Consumer<Connection> completion) {
    if (transaction.isRollbackOnly()) {
      throw new UnexpectedRollbackException(
          "The handler returned normally, but its transaction was marked as rollback-only. Let the"
              + " exception of the called method propagate, or call it in a transaction of its"
              + " own.");
    }
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      completion.accept(connection);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  private void rollBackAfter(Throwable failure, TransactionStatus transaction) {
    try {
      manager.rollback(transaction);
    } catch (RuntimeException | Error also) {
      failure.addSuppressed(also);
    }
  }
}
