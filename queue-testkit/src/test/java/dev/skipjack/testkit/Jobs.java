package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Inserts jobs with plain SQL, because this module does not depend on a store. */
final class Jobs {

  private Jobs() {}

  /** Inserts a job into the queue {@code emails} that is due now. */
  static JobId insert(Connection connection, String kind, String payload) throws SQLException {
    return insert(connection, kind, payload, "pending", "clock_timestamp()");
  }

  /**
   * @param due an SQL expression for the due time
   */
  static JobId insert(Connection connection, String kind, String payload, String status, String due)
      throws SQLException {
    String sql =
        """
        INSERT INTO skipjack.jobs (queue, kind, payload, status, scheduled_at, created_at,
                                   current_execution_id, lease_expires_at, started_at)
        SELECT 'emails', '%1$s', '%2$s', '%3$s', %4$s, clock_timestamp(),
               execution, lease, lease
          FROM (SELECT CASE WHEN '%3$s' = 'running' THEN nextval('skipjack.job_execution_id_seq') END AS execution,
                       CASE WHEN '%3$s' = 'running' THEN clock_timestamp() + interval '1 hour' END AS lease) AS run
        RETURNING id
        """
            .formatted(kind, payload, status, due);
    return new JobId(Long.parseLong(query(connection, sql)));
  }

  static JobId insert(QueueDatabase database, String kind, String payload) throws SQLException {
    try (Connection connection = database.connection()) {
      return insert(connection, kind, payload);
    }
  }

  static JobId insert(
      QueueDatabase database, String kind, String payload, String status, String due)
      throws SQLException {
    try (Connection connection = database.connection()) {
      return insert(connection, kind, payload, status, due);
    }
  }

  static void execute(QueueDatabase database, String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static String query(QueueDatabase database, String sql) throws SQLException {
    try (Connection connection = database.connection()) {
      return query(connection, sql);
    }
  }

  /** Returns the first column of the only row. */
  static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return String.valueOf(result.getString(1));
    }
  }
}
