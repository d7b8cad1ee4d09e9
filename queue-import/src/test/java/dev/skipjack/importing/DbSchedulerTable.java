package dev.skipjack.importing;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The table of db-scheduler, as the library's script for PostgreSQL creates it. */
final class DbSchedulerTable {

  private DbSchedulerTable() {}

  static void create(QueueDatabase database) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS scheduled_tasks");
      statement.execute(
          """
          CREATE TABLE scheduled_tasks (
            task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
            execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
            last_success timestamptz, last_failure timestamptz, consecutive_failures int,
            last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
            PRIMARY KEY (task_name, task_instance))
          """);
    }
  }
}
