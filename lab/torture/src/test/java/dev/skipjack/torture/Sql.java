package dev.skipjack.torture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Runs the SQL with which broken queues bypass the real store. {@code @} stands for the schema.
 *
 * @param dataSource supplies connections in auto-commit mode that faults do not affect
 */
record Sql(DataSource dataSource, String schema) {

  static final String COMPLETE_BY_ID =
      "WITH removed AS (DELETE FROM @jobs WHERE id = ? RETURNING *)"
          + " INSERT INTO @jobs_archive (id, status, queue, kind, payload, payload_version, priority, scheduled_at, created_at,"
          + " started_at, attempts, uncounted_attempts, max_attempts, execution_id)"
          + " SELECT id, 'completed', queue, kind, payload, payload_version, priority, scheduled_at, created_at,"
          + " started_at, attempts, uncounted_attempts, max_attempts, ? FROM removed";

  static final String REVIVE =
      "INSERT INTO @jobs (id, queue, kind, payload, attempts, uncounted_attempts, max_attempts)"
          + " SELECT id, queue, kind, payload, attempts, uncounted_attempts, max_attempts FROM @jobs_archive WHERE id = ?";

  int run(String sql, long... values) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return run(connection, sql, values);
    }
  }

  int run(Connection connection, String sql, long... values) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(sql.replace("@", schema + "."))) {
      for (int i = 0; i < values.length; i++) {
        statement.setLong(i + 1, values[i]);
      }
      return statement.executeUpdate();
    }
  }

  long number(String sql, long... values) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql.replace("@", schema + "."))) {
      for (int i = 0; i < values.length; i++) {
        statement.setLong(i + 1, values[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }
}
