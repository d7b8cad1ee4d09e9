package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that statements stay prepared. The driver prepares all statements of a connection again if
 * the server reports that {@code search_path} has changed, which PostgreSQL 18 and later does at
 * the end of each round trip.
 */
@QueueTest
class PreparedStatementsTest {

  /** The driver prepares a statement after 5 runs. */
  private static final int UNTIL_PREPARED = 6;

  private static final String OF_THE_APPLICATION = "SELECT 'mine' WHERE ? = 1";

  private HikariDataSource one;
  private JobQueue queue;

  @BeforeEach
  void prepare(QueueDatabase database) throws SQLException {
    one = database.newDataSource(1);
    queue = JobQueue.builder(one).schema(database.schema()).build();
    for (int i = 0; i < UNTIL_PREPARED; i++) {
      work();
    }
  }

  @AfterEach
  void close() {
    one.close();
  }

  private void work() throws SQLException {
    EveryStatement.ofAJobsLife(queue, one);
    try (Connection connection = one.getConnection();
        PreparedStatement statement = connection.prepareStatement(OF_THE_APPLICATION)) {
      statement.setInt(1, 1);
      statement.executeQuery();
    }
  }

  @Test
  void nothingIsPreparedTwice() throws SQLException {
    Map<String, String> before = prepared();
    assertThat(before.values())
        .anyMatch(sql -> sql.contains("\"claimed\""))
        .anyMatch(sql -> sql.contains("'mine'"));

    work();

    assertThat(prepared()).containsAllEntriesOf(before);
  }

  /** Returns the prepared statements by name and time. */
  private Map<String, String> prepared() throws SQLException {
    Map<String, String> all = new TreeMap<>();
    try (Connection connection = one.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT name || ' ' || prepare_time, statement FROM pg_prepared_statements")) {
      while (row.next()) {
        all.put(row.getString(1), row.getString(2));
      }
    }
    return all;
  }
}
