package dev.skipjack.spring.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Finds the transaction of the current thread on the queue's data source. */
final class CallersTransaction {

  private final DataSource dataSource;
  private final ObjectProvider<PlatformTransactionManager> managers;

  CallersTransaction(DataSource dataSource, ObjectProvider<PlatformTransactionManager> managers) {
    this.dataSource = dataSource;
    this.managers = managers;
  }

  /** Returns the connection of the transaction, or empty if there is none. */
  Optional<Connection> connection() {
    return holder().map(ConnectionHolder::getConnection);
  }

  private Optional<ConnectionHolder> holder() {
    return TransactionSynchronizationManager.isActualTransactionActive()
            && TransactionSynchronizationManager.getResource(dataSource)
                instanceof ConnectionHolder holder
        ? Optional.of(holder)
        : Optional.empty();
  }

  boolean isRollbackOnly() {
    return holder().map(ConnectionHolder::isRollbackOnly).orElse(false);
  }

  /**
   * Sends the changes that JPA would send at the commit, which a transaction of a test does not
   * reach.
   */
  void flush() {
    managers.forEach(
        manager -> {
          TransactionTemplate current = new TransactionTemplate(manager);
          current.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
          current.executeWithoutResult(TransactionStatus::flush);
        });
  }

  /**
   * Runs work of the current thread in a savepoint of its transaction. If the work fails or {@code
   * keep} rejects its result, its changes are rolled back, and the transaction remains usable.
   */
  <T> T inSavepoint(Callable<T> work, Predicate<T> keep) throws Exception {
    ConnectionHolder holder =
        holder().orElseThrow(() -> new IllegalStateException("No transaction is open."));
    boolean doomed = holder.isRollbackOnly();
    Connection connection = holder.getConnection();
    Savepoint savepoint = connection.setSavepoint();
    T result;
    try {
      result = work.call();
      if (keep.test(result)) {
        flush();
      }
    } catch (Throwable failure) {
      try {
        undo(holder, savepoint, doomed);
      } catch (SQLException broken) {
        failure.addSuppressed(broken);
      }
      throw failure;
    }
    if (keep.test(result)) {
      connection.releaseSavepoint(savepoint);
    } else {
      undo(holder, savepoint, doomed);
    }
    return result;
  }

  private static void undo(ConnectionHolder holder, Savepoint savepoint, boolean doomed)
      throws SQLException {
    holder.getConnection().rollback(savepoint);
    if (!doomed) {
      holder.resetRollbackOnly();
    }
  }
}
