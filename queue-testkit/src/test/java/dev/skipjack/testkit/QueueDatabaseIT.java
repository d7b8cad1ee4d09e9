package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueDatabaseIT {

  private static final String INSERT =
      "INSERT INTO skipjack.jobs (queue, kind, payload) VALUES ('q', 'k', '{}')";

  @Test
  void databasesAreMigratedAndDoNotShareRows() throws SQLException {
    try (QueueDatabase first = QueueDatabase.create();
        QueueDatabase second = QueueDatabase.create()) {
      execute(first, INSERT);

      assertThat(first.schema()).isEqualTo("skipjack");
      assertThat(query(first, "SELECT count(*) FROM skipjack.jobs")).isEqualTo("1");
      assertThat(query(second, "SELECT count(*) FROM skipjack.jobs")).isEqualTo("0");
    }
  }

  @Test
  void truncateEmptiesTheQueuesTablesAndKeepsTheHistory() throws SQLException {
    try (QueueDatabase database = QueueDatabase.create()) {
      execute(database, INSERT);
      execute(database, "INSERT INTO skipjack.job_queues (queue) VALUES ('q')");

      database.truncate();

      assertThat(query(database, "SELECT count(*) FROM skipjack.jobs")).isEqualTo("0");
      assertThat(query(database, "SELECT count(*) FROM skipjack.job_queues")).isEqualTo("0");
      assertThat(query(database, "SELECT count(*) > 0 FROM skipjack.skipjack_schema_history"))
          .isEqualTo("t");
    }
  }

  @Test
  void sessionsAreNotInUtc() throws SQLException {
    try (QueueDatabase database = QueueDatabase.create();
        HikariDataSource other = database.newDataSource(1);
        Connection connection = other.getConnection()) {
      assertThat(query(database, "SHOW timezone")).isEqualTo("Asia/Kolkata");
      assertThat(query(connection, "SHOW timezone")).isEqualTo("Asia/Kolkata");
      assertThat(connection.getAutoCommit()).isTrue();
    }
  }

  @Test
  void closeDropsTheDatabaseDespiteOpenConnections() throws SQLException {
    QueueDatabase database = QueueDatabase.create();
    String url = database.jdbcUrl();
    try (Connection stranger = DriverManager.getConnection(url)) {
      database.close();

      assertThat(stranger.isValid(5)).isFalse();
    }
    assertThatThrownBy(() -> DriverManager.getConnection(url))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("does not exist");
    database.close();
    assertThatThrownBy(() -> database.newDataSource(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void openConnectionsAreReportedAndTheDatabaseIsDroppedNevertheless() throws SQLException {
    QueueDatabase database = QueueDatabase.create();
    List<Connection> kept = new ArrayList<>();
    kept.add(database.connection());
    kept.add(database.connection());
    kept.add(database.newDataSource(1).getConnection());
    assertThat(kept).doesNotContainNull();

    assertThatThrownBy(database::close)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("3 connection(s)")
        .hasMessageContaining(getClass().getName() + ".openConnectionsAreReported")
        .hasMessageContaining("in thread '" + Thread.currentThread().getName() + "'")
        .satisfies(
            error ->
                assertThat(error.getSuppressed())
                    .hasSize(3)
                    .allSatisfy(
                        taken ->
                            assertThat(taken.getStackTrace())
                                .anyMatch(
                                    frame -> frame.getClassName().equals(getClass().getName()))));
    assertThatThrownBy(() -> DriverManager.getConnection(database.jdbcUrl()))
        .hasMessageContaining("does not exist");
  }

  @Test
  void connectionsThatWereClosedAreForgotten() throws SQLException {
    QueueDatabase database = QueueDatabase.create();
    for (int i = 0; i < 30; i++) {
      query(database, "SELECT 1");
    }
    Connection kept = database.connection();
    assertThat(kept.isClosed()).isFalse();

    assertThatThrownBy(database::close).hasMessageContaining("1 connection(s)");
  }

  @Test
  void anExhaustedPoolShowsWhereItsConnectionsWereBorrowed() throws SQLException {
    try (QueueDatabase database = QueueDatabase.create()) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.jdbcUrl());
      config.setMaximumPoolSize(1);
      config.setConnectionTimeout(250);
      try (WatchedPool one = new WatchedPool(config);
          Connection only = one.getConnection()) {
        assertThat(only.isClosed()).isFalse();
        assertThatThrownBy(one::getConnection)
            .isInstanceOf(SQLException.class)
            .satisfies(
                error ->
                    assertThat(error.getSuppressed())
                        .singleElement()
                        .satisfies(
                            taken ->
                                assertThat(taken)
                                    .hasMessageContaining("anExhaustedPoolShowsWhere")));
      }
    }
  }

  @Test
  void truncateShowsWhereAnOpenTransactionBeganAndChangesNoSession() throws SQLException {
    try (QueueDatabase database = QueueDatabase.create()) {
      try (Connection open = database.connection();
          Statement statement = open.createStatement()) {
        open.setAutoCommit(false);
        statement.execute(INSERT);

        assertThatThrownBy(() -> database.truncate(Duration.ofMillis(50)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("cannot be emptied")
            .hasMessageContaining("truncateShowsWhere");
        assertThat(query(database, "SHOW lock_timeout")).isEqualTo("0");
        open.rollback();
      }
      database.truncate();
      assertThat(query(database, "SHOW lock_timeout")).isEqualTo("0");
    }
  }

  @Test
  void leftoversAreDroppedUnlessASessionIsConnected() throws SQLException {
    TestServer server = TestServer.running();
    assumeTrue(server.isOursAlone(), "other runs may use the server, and would lose theirs");
    String abandoned = server.createDatabase();
    String inUse = server.createDatabase();
    try (Connection user = DriverManager.getConnection(server.jdbcUrl(inUse))) {
      server.dropLeftovers();

      assertThat(user.isValid(5)).isTrue();
    }
    assertThatThrownBy(() -> DriverManager.getConnection(server.jdbcUrl(abandoned)))
        .hasMessageContaining("does not exist");
    server.dropDatabase(inUse);
  }

  private static void execute(QueueDatabase database, String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(QueueDatabase database, String sql) throws SQLException {
    try (Connection connection = database.connection()) {
      return query(connection, sql);
    }
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return String.valueOf(result.getString(1));
    }
  }
}
