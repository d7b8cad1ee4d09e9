package dev.skipjack.steps;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads and changes the rows of durable steps for tests. */
final class StepRows {

  private StepRows() {}

  /** Returns the first column of each row, as text. "@" stands for the schema. */
  static List<String> query(QueueDatabase database, String sql, Object... values) {
    try (Connection connection = database.connection();
        PreparedStatement statement =
            connection.prepareStatement(sql.replace("@", database.schema() + "."))) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      List<String> rows = new ArrayList<>();
      if (statement.execute()) {
        try (ResultSet result = statement.getResultSet()) {
          while (result.next()) {
            rows.add(String.valueOf(result.getString(1)));
          }
        }
      }
      return rows;
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** Returns the names of the memos of live jobs, in their order. */
  static List<String> memos(QueueDatabase database) {
    return query(database, "SELECT name FROM @job_steps ORDER BY job_id, position");
  }

  /** Returns the steps of archived jobs as JSON. */
  static List<String> archived(QueueDatabase database) {
    return query(database, "SELECT steps FROM @jobs_archive ORDER BY id");
  }
}
