package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Detects a server that accepts no writes: a standby, or a former primary after a failover.
 * Connections to such a server work, so no pool detects that writes fail on them.
 */
public final class ReadOnlyServer {

  /** The SQLSTATE of a write in a read-only transaction. */
  public static final String SQL_STATE = "25006";

  private static final String IS_READ_ONLY =
      "SELECT pg_catalog.current_setting('transaction_read_only')";

  private ReadOnlyServer() {}

  /**
   * Returns whether {@code failure}, or a cause of it, is a write that a read-only server refused.
   */
  static boolean refused(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException refusal && SQL_STATE.equals(refusal.getSQLState())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks the server of {@code connection}, in one round trip.
   *
   * @param connection the connection
   * @throws SQLException with {@link #SQL_STATE} if it is read-only
   */
  public static void requireWritable(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(IS_READ_ONLY)) {
      row.next();
      requireOff(row.getString(1));
    }
  }

  /**
   * Checks a value of the setting {@code transaction_read_only}.
   *
   * @param transactionReadOnly the value of the setting {@code transaction_read_only}
   * @throws SQLException with {@link #SQL_STATE} unless it is off
   */
  public static void requireOff(String transactionReadOnly) throws SQLException {
    if (!"off".equals(transactionReadOnly)) {
      throw new SQLException(
          "The server is read-only: a standby, a former primary, or default_transaction_read_only is on. Connect to the primary.",
          SQL_STATE);
    }
  }

  /**
   * Breaks a connection whose server rejected a write, so that its pool discards it. Does nothing
   * for any other failure.
   *
   * @param connection the connection
   * @param failure the exception
   * @return whether the connection was broken
   */
  public static boolean abandon(Connection connection, Throwable failure) {
    if (!refused(failure)) {
      return false;
    }
    try {
      connection.abort(Runnable::run);
      // HikariCP checks a recently used connection only when a call on it fails.
      connection.rollback();
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
    return true;
  }
}
