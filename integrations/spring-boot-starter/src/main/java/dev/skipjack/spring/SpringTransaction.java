package dev.skipjack.spring;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.store.jooq.FollowedTransaction;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * After the commit of a transaction of Spring, starts its first job directly, or sends the wake-ups
 * for its jobs. At that time, the connection of the transaction is still bound, so that the pool
 * need not provide a second one.
 */
final class SpringTransaction implements TransactionSynchronization {

  private static final Logger LOG = LoggerFactory.getLogger(SpringTransaction.class);

  private final JobQueue queue;
  private final DataSource dataSource;
  private final FollowedTransaction followed;

  private SpringTransaction(JobQueue queue, DataSource dataSource) {
    this.queue = queue;
    this.dataSource = dataSource;
    this.followed = queue.follow();
  }

  /** Returns the instance of the current transaction, which is created at the first call. */
  static SpringTransaction current(JobQueue queue, DataSource dataSource) {
    if (TransactionSynchronizationManager.getResource(queue) instanceof SpringTransaction bound) {
      return bound;
    }
    SpringTransaction created = new SpringTransaction(queue, dataSource);
    TransactionSynchronizationManager.registerSynchronization(created);
    TransactionSynchronizationManager.registerSynchronization(created.new BeforeCommit());
    TransactionSynchronizationManager.bindResource(queue, created);
    return created;
  }

  /** Returns an enqueuer. A job that a callback enqueues after the end does not start directly. */
  JobEnqueuer enqueuer(Connection connection) {
    return EndedTransactions.current(dataSource).isPresent()
        ? queue.in(connection, followed.wakeUps())
        : queue.in(connection, followed);
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

  /** One of the last callbacks before the commit, because the others may take long. */
  private final class BeforeCommit implements TransactionSynchronization {

    @Override
    public int getOrder() {
      return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
      if (followed.hasStart()) {
        onConnection(followed::beforeCommit);
      }
    }
  }

  // Spring does not call this method if the first enqueue was in another callback after the commit.
  @Override
  public void afterCommit() {
    if (followed.hasStart()) {
      onConnection(followed::committed);
    }
  }

  // The ended transaction may be on another data source, while the one on this connection is
  // suspended and still open. The state of the connection shows this.
  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(queue);
    if (status == STATUS_COMMITTED) {
      onConnection(followed::committed);
    } else if (status == STATUS_ROLLED_BACK && followed.hasStart()) {
      onConnection(followed::rolledBack);
    }
    followed.unknown(); // has an effect only if there was no connection, or the outcome is unknown
  }

  private void onConnection(Consumer<Connection> work) {
    if (!TransactionSynchronizationManager.hasResource(dataSource)) {
      return;
    }
    try {
      Connection connection = DataSourceUtils.getConnection(dataSource);
      try {
        work.accept(connection);
      } finally {
        DataSourceUtils.releaseConnection(connection, dataSource);
      }
    } catch (Throwable failure) {
      // The transaction is not affected, and afterCompletion frees the slot.
      LOG.debug("The queue could not use the connection of a transaction", failure);
    }
  }
}
