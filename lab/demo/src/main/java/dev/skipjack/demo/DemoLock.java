package dev.skipjack.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * The exclusive right to run the demo on a database, because a second demo would consider the
 * unfinished jobs of the first one lost. A session holds the lock, so PostgreSQL releases it if the
 * demo is killed.
 */
final class DemoLock implements AutoCloseable {

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final Connection connection;

  private DemoLock(Connection connection) {
    this.connection = connection;
  }

  /**
   * Takes the lock. Waits for a few seconds, because the server may not yet have detected the end
   * of the last demo.
   *
   * @param service the pool; one of its connections is held until {@link #close()}, and the lock
   *     until the pool is closed
   * @throws RefusedException if another demo holds the lock
   */
  static DemoLock take(DataSource service) throws SQLException {
    Connection connection = service.getConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = '3s'");
      statement.execute("SELECT pg_advisory_lock(hashtextextended('skipjack demo', 0))");
      return new DemoLock(connection);
    } catch (SQLException e) {
      connection.close();
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw new RefusedException(
            "Another demo is running on this database. Wait until it has ended, or use another database.");
      }
      throw e;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
