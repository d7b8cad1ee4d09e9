package dev.skipjack.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Commits the jobs that callbacks enqueue after the end of a transaction.
 *
 * <p>During these callbacks, Spring still reports the transaction as active and its connection as
 * bound, but does not commit what is written there if the pool has auto-commit off. A transaction
 * manager calls its listeners before the end, and again after the last callback, before Spring
 * resets the connection.
 */
final class EndedTransactions implements TransactionExecutionListener {

  /**
   * Returns the transaction whose connection is bound to this thread, if it has ended but not all
   * of its callbacks have returned.
   */
  static Optional<Ended> current(DataSource dataSource) {
    Object holder = TransactionSynchronizationManager.getResource(dataSource);
    return holder == null
        ? Optional.empty()
        : Optional.ofNullable((Ended) TransactionSynchronizationManager.getResource(holder))
            .filter(Ended::hasEnded);
  }

  @Override
  public void beforeCommit(TransactionExecution transaction) {
    bind(transaction);
  }

  @Override
  public void beforeRollback(TransactionExecution transaction) {
    bind(transaction);
  }

  @Override
  public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
    commitJobsOf(transaction);
  }

  @Override
  public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
    commitJobsOf(transaction);
  }

  // The key is the holder, because a callback may begin another transaction on the data source.
  private static void bind(TransactionExecution transaction) {
    ConnectionHolder holder = holderOf(transaction);
    if (holder != null && TransactionSynchronizationManager.isSynchronizationActive()) {
      Ended ended = new Ended();
      TransactionSynchronizationManager.bindResource(holder, ended);
      TransactionSynchronizationManager.registerSynchronization(ended);
    }
  }

  private static void commitJobsOf(TransactionExecution transaction) {
    ConnectionHolder holder = holderOf(transaction);
    if (holder != null
        && TransactionSynchronizationManager.unbindResourceIfPossible(holder)
            instanceof Ended ended) {
      ended.commit();
    }
  }

  /**
   * Returns null for a savepoint, for a joined transaction, and for one without a JDBC connection.
   */
  private static @Nullable ConnectionHolder holderOf(TransactionExecution transaction) {
    return transaction instanceof DefaultTransactionStatus status
            && status.isNewTransaction()
            && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
            && jdbc.hasConnectionHolder()
        ? jdbc.getConnectionHolder()
        : null;
  }

  /**
   * A transaction that ends. It has ended when its first callback after the commit or rollback is
   * called. Before that, JPA sends its changes and may call listeners of entities, which still
   * belong to the transaction.
   */
  static final class Ended implements TransactionSynchronization, PriorityOrdered {

    private boolean hasEnded;
    private @Nullable Connection connection;
    private boolean autoCommit;

    private boolean hasEnded() {
      return hasEnded;
    }

    /** Precedes all callbacks, including those that have the highest precedence. */
    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCommit() {
      hasEnded = true;
    }

    // After a rollback, only this method is called.
    @Override
    public void afterCompletion(int status) {
      hasEnded = true;
    }

    /**
     * Begins another transaction on the connection of the ended one. All later callbacks take part
     * in it, and it is committed after the last of them.
     */
    void continueOn(Connection bound) {
      if (connection != null) {
        return;
      }
      try {
        autoCommit = bound.getAutoCommit(); // true with Hibernate, which resets it by itself
        if (autoCommit) {
          bound.setAutoCommit(false);
        }
      } catch (SQLException failure) {
        throw failed(failure);
      }
      connection = bound;
    }

    private void commit() {
      if (connection == null) {
        return;
      }
      // If a statement of a callback has failed, the server rolls back at the commit, which the
      // driver may not report. The query fails in that case.
      try (Statement query = connection.createStatement()) {
        query.execute("SELECT 1");
        connection.commit();
        if (autoCommit) {
          connection.setAutoCommit(true);
        }
      } catch (SQLException failure) {
        throw failed(failure);
      }
    }

    private static TransactionSystemException failed(SQLException failure) {
      return new TransactionSystemException(
          "Jobs that were enqueued in callbacks after the end of a transaction could not be"
              + " committed. The transaction itself is not affected.",
          failure);
    }
  }
}
