package dev.skipjack.store.jooq.spi;

import dev.skipjack.api.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Borrows the connections on which the queue runs transactions of its own. */
public final class OwnConnections {

  private OwnConnections() {}

  /**
   * A connection of {@code dataSource} on which no transaction is open. A data source that is bound
   * to the caller's transaction hands out that transaction's connection, and a commit on it would
   * commit the caller's work. Sends nothing to the server.
   *
   * @throws IllegalStateException if a transaction is open or has failed on the connection; it is
   *     neither committed nor rolled back
   * @throws StoreException if the data source itself had no connection to give
   * @throws SQLException if the driver could not connect
   */
  public static Connection borrow(DataSource dataSource) throws SQLException {
    Connection connection = connect(dataSource);
    try {
      requireNoTransaction(connection);
      return connection;
    } catch (SQLException | RuntimeException | Error failure) {
      giveBack(connection, failure);
      throw failure;
    }
  }

  private static Connection connect(DataSource dataSource) throws SQLException {
    try {
      return dataSource.getConnection();
    } catch (SQLException failure) {
      if (failure.getSQLState() == null && !PostgresDriver.isBehind(failure)) {
        throw new StoreException(noConnection(failure), failure);
      }
      throw failure;
    }
  }

  private static String noConnection(SQLException failure) {
    return "The data source gave no connection, so nothing was sent to the database: %s If all connections were in use: raise the pool's maximum size, end transactions that stay open, or give workers a pool of their own with JobQueue.builder(dataSource).controlOn(pool)."
        .formatted(PostgresDriver.sentence(failure));
  }

  private static void requireNoTransaction(Connection connection) throws SQLException {
    if (PostgresDriver.isInTransaction(connection)) {
      throw new IllegalStateException(
          "The data source handed out a connection that is inside a transaction (open, or failed and not rolled back), and the queue would have committed it. To enqueue in that transaction, use queue.in(connection). Give JobQueue the pool itself, not a data source that is bound to transactions, such as TransactionAwareDataSourceProxy. If it is a pool, somebody returned the connection without ending its transaction.");
    }
  }

  private static void giveBack(Connection connection, Throwable failure) {
    try {
      connection.close();
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }
}
