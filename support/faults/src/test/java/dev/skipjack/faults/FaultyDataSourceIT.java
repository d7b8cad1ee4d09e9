package dev.skipjack.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.faults.FaultyDataSource.Step;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultyDataSourceIT {

  private final HikariDataSource pool = TestServer.pool();
  private final FaultyDataSource faulty = new FaultyDataSource(pool);

  @BeforeEach
  void createRows() throws SQLException {
    TestServer.createRows();
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void connectionsFailAsOftenAsRequestedAndThenWork() throws SQLException {
    faulty.failNext(Step.CONNECTION, 2, "53300");
    faulty.failNext(Step.STATEMENT, 1, "40P01");
    faulty.failNext(Step.COMMIT, 1, "40001");

    assertFails(faulty::getConnection, "53300");
    assertFails(faulty::getConnection, "53300");
    try (Connection connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        assertFails(() -> statement.execute("SELECT 1"), "40P01");
        statement.execute("INSERT INTO rows VALUES (1)");
        assertThat(statement.getConnection()).isSameAs(connection);
      }
      assertFails(connection::commit, "40001");
      connection.rollback();
      connection.setAutoCommit(true);
    }
    insert();
    assertThat(rows()).isEqualTo(1);
    assertThat(faulty.count(Step.CONNECTION)).isEqualTo(4);
    assertThat(faulty.count(Step.COMMIT)).isEqualTo(2);
  }

  @Test
  void aCutBeforeTheCommitRollsBackAndOneAfterItLosesTheAcknowledgement() throws SQLException {
    faulty.cutBeforeCommit(1);
    assertFails(this::insert, "08006");
    assertThat(rows()).isZero();

    faulty.cutAfterCommit(1);
    assertFails(this::insert, "08006");
    assertThat(rows()).isEqualTo(1);

    faulty.decideCommits(() -> CommitFate.CUT_AFTER);
    assertFails(this::insert, "08006");
    faulty.reset();
    insert();
    assertThat(rows()).isEqualTo(3);
  }

  @Test
  void aStatementThatEndsWithItsOwnCommitIsCutAsWell() throws SQLException {
    faulty.cutBeforeCommit(1);
    assertFails(() -> insertInOneFlight(true), "08006");
    assertThat(rows()).isZero();

    faulty.cutAfterCommit(2);
    assertFails(() -> insertInOneFlight(true), "08006");
    assertFails(() -> insertInOneFlight(false), "08006");
    assertThat(rows()).isEqualTo(2);
    assertThat(faulty.count(Step.COMMIT)).isEqualTo(3);
  }

  @Test
  void cutsStatementsThatWriteInAutoCommitMode() throws SQLException {
    faulty.cutBeforeCommit(1);
    assertFails(this::insertInAutoCommitMode, "08006");
    assertThat(rows()).isZero();

    faulty.cutAfterCommit(1);
    assertFails(this::insertInAutoCommitMode, "08006");
    assertThat(rows()).isEqualTo(1);
    assertThat(faulty.count(Step.COMMIT)).isEqualTo(2);
  }

  private void insertInAutoCommitMode() throws SQLException {
    try (Connection connection = faulty.getConnection();
        PreparedStatement read = connection.prepareStatement("SELECT 1");
        PreparedStatement write = connection.prepareStatement("INSERT INTO rows VALUES (1)")) {
      read.execute();
      write.execute();
    }
  }

  private void insertInOneFlight(boolean prepared) throws SQLException {
    String sql = "BEGIN; INSERT INTO rows VALUES (1); COMMIT";
    try (Connection connection = faulty.getConnection();
        Statement plain = connection.createStatement();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      if (prepared) {
        statement.execute();
      } else {
        plain.execute(sql);
      }
    }
  }

  @Test
  void aBrokenConnectionStaysBrokenAndThePoolReplacesIt() throws SQLException {
    faulty.cutBeforeCommit(1);
    try (Connection connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      assertFails(connection::commit, "08006");
      assertThat(connection.isValid(1)).isFalse();
      assertThat(connection.isClosed()).isTrue();
      assertFails(connection::createStatement, "08006");
    }
    for (int i = 0; i < 20; i++) {
      insert(); // the pool has replaced the broken connection
    }
    assertThat(rows()).isEqualTo(20);
  }

  @Test
  void anUnavailableDatabaseIsUnavailableForOpenConnectionsToo() throws SQLException {
    try (Connection connection = faulty.getConnection();
        Statement statement = connection.createStatement()) {
      assertThat(connection.isValid(5)).isTrue();
      faulty.makeUnavailable();
      assertThat(connection.isValid(5)).isFalse();
      assertFails(faulty::getConnection, "08001");
      assertFails(() -> statement.executeQuery("SELECT 1"), "08006");
    }
    faulty.reset();
    insert();
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void anExhaustedPoolRefusesNewConnectionsAndLeavesOpenOnesAlone() throws SQLException {
    try (Connection connection = faulty.getConnection();
        Statement statement = connection.createStatement()) {
      faulty.exhaust();
      assertThatThrownBy(faulty::getConnection).isInstanceOf(SQLTransientConnectionException.class);
      assertThat(statement.execute("SELECT 1")).isTrue();
    }
  }

  @Test
  void delaysTheStepsOfAKind() throws SQLException {
    faulty.delay(Step.STATEMENT, Duration.ofMillis(60));
    long began = System.nanoTime();
    insert();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(59));
  }

  @Test
  void equalsAndToStringWorkOnBrokenConnectionsAndStatements() throws SQLException {
    faulty.cutBeforeCommit(1);
    try (Connection connection = faulty.getConnection();
        Connection other = faulty.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertFails(connection::commit, "08006");

      Set<Object> known = new HashSet<>(List.of(connection, other, statement));
      assertThat(known).hasSize(3).contains(connection, other, statement);
      assertThat(connection.equals(other)).isFalse();
      assertThat(connection.toString()).contains("faulty");
      assertThat(statement.toString()).contains("faulty");
    }
  }

  @Test
  void invalidPlansAreRejected() {
    assertThatThrownBy(() -> faulty.failNext(Step.COMMIT, 0, "40001"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> faulty.failNext(Step.COMMIT, 1, "deadlock"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> faulty.cutAfterCommit(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void insert() throws SQLException {
    try (Connection connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("INSERT INTO rows VALUES (1)");
      }
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  private long rows() throws SQLException {
    try (Connection connection = TestServer.connect();
        Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery("SELECT count(*) FROM rows")) {
      count.next();
      return count.getLong(1);
    }
  }

  @FunctionalInterface
  private interface Attempt {
    void run() throws SQLException;
  }

  private static void assertFails(Attempt attempt, String sqlState) {
    assertThatThrownBy(attempt::run)
        .isInstanceOfSatisfying(
            SQLException.class, failure -> assertThat(failure.getSQLState()).isEqualTo(sqlState));
  }
}
