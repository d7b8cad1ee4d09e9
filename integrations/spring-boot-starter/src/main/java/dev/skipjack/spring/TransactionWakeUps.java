package dev.skipjack.spring;

import dev.skipjack.store.jooq.DeferredWakeUps;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends the wake-ups for the jobs of one of Spring's transactions after its commit. At that time,
 * the connection of the transaction is still bound, so that the pool need not provide a second one.
 */
final class TransactionWakeUps implements TransactionSynchronization {

  private final JobQueue queue;
  private final DataSource dataSource;
  private final DeferredWakeUps wakeUps;

  private TransactionWakeUps(JobQueue queue, DataSource dataSource) {
    this.queue = queue;
    this.dataSource = dataSource;
    this.wakeUps = queue.deferWakeUps();
  }

  /** Returns the instance of the current transaction, which is created at the first call. */
  static TransactionWakeUps current(JobQueue queue, DataSource dataSource) {
    if (TransactionSynchronizationManager.getResource(queue) instanceof TransactionWakeUps bound) {
      return bound;
    }
    TransactionWakeUps created = new TransactionWakeUps(queue, dataSource);
    TransactionSynchronizationManager.registerSynchronization(created);
    TransactionSynchronizationManager.bindResource(queue, created);
    return created;
  }

  DeferredWakeUps wakeUps() {
    return wakeUps;
  }

  /** Precedes the listeners of the application, which may take long. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResourceIfPossible(queue);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(queue, this);
  }

  // Wake-ups are not sent in afterCommit, because it is not called if the first enqueue was in a
  // callback of that name.
  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(queue);
    if (status == STATUS_COMMITTED && TransactionSynchronizationManager.hasResource(dataSource)) {
      Connection connection = DataSourceUtils.getConnection(dataSource);
      try {
        wakeUps.send(connection);
      } finally {
        DataSourceUtils.releaseConnection(connection, dataSource);
      }
    }
  }
}
