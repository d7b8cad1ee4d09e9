package dev.skipjack.examples.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * The right to run the demo on a database while a session of it lasts: a second demo would mistake
 * the unfinished jobs of the first one for lost ones. PostgreSQL releases the lock of a demo that
 * was killed.
 */
final class DemoLock implements AutoCloseable {

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final Connection connection;

  private DemoLock(Connection connection) {
    this.connection = connection;
  }

  /**
   * Waits briefly, because the server may not have noticed yet that the last demo has ended.
   *
   * @param service its connection is held until this is closed, and the lock until the pool is
   * @throws RefusedException if another demo holds it
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
