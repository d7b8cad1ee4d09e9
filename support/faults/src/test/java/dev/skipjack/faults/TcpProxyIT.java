package dev.skipjack.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TcpProxyIT {

  private final TcpProxy proxy = TcpProxy.before(TestServer.jdbcUrl());

  @BeforeEach
  void createRows() throws SQLException {
    TestServer.createRows();
  }

  @AfterEach
  void close() {
    proxy.close();
    assertThat(proxy.open()).isZero();
  }

  @Test
  void proxyPassesEverythingAndClosesItsConnectionsWithTheClient() throws Exception {
    try (Connection connection = connect("")) {
      insert(connection, 10_000);
      assertThat(rows()).isEqualTo(10_000);
      assertThat(proxy.open()).isEqualTo(1);
    }
    awaitOpen(0);
    assertThat(proxy.accepted()).isEqualTo(1);
  }

  @Test
  void aBlackHoleLeavesBothSidesWaitingAndTheConnectionOpen() throws Exception {
    String pid;
    try (Connection connection = connect("&socketTimeout=1")) {
      pid = text(connection, "SELECT pg_backend_pid()");
      proxy.blackHole();
      assertThatThrownBy(() -> text(connection, "SELECT 1"))
          .isInstanceOf(SQLException.class)
          .hasStackTraceContaining("SocketTimeoutException");
    }
    assertThatThrownBy(() -> connect("&socketTimeout=1&loginTimeout=1"))
        .isInstanceOf(SQLException.class);

    proxy.pass();
    try (Connection connection = connect("")) {
      // The session of the lost connection has not noticed anything.
      assertThat(text(connection, "SELECT state FROM pg_stat_activity WHERE pid = " + pid))
          .isEqualTo("idle");
    }
  }

  @Test
  void aConnectionThatLostBytesStaysDeadWhenOthersPass() throws Exception {
    try (Connection dead = connect("&socketTimeout=1");
        Connection idle = connect("")) {
      proxy.blackHole();
      assertThatThrownBy(() -> text(dead, "SELECT 1")).isInstanceOf(SQLException.class);
      proxy.pass();
      assertThat(text(idle, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void forgetsOpenConnectionsAndNoOthers() throws Exception {
    try (Connection forgotten = connect("&socketTimeout=1")) {
      proxy.forgetOpen();
      assertThatThrownBy(() -> text(forgotten, "SELECT 1")).isInstanceOf(SQLException.class);
      try (Connection fresh = connect("")) {
        assertThat(text(fresh, "SELECT 1")).isEqualTo("1");
      }
    }
  }

  @Test
  void resetsOpenConnectionsAndRefusesNewOnes() throws Exception {
    try (Connection connection = connect("")) {
      proxy.reset();
      assertThatThrownBy(() -> text(connection, "SELECT 1")).isInstanceOf(SQLException.class);
    }
    proxy.refuseNew();
    assertThatThrownBy(() -> connect("")).isInstanceOf(SQLException.class);
    proxy.pass();
    try (Connection connection = connect("")) {
      assertThat(text(connection, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void delayAppliesToBothDirections() throws Exception {
    try (Connection connection = connect("")) {
      proxy.latency(Duration.ofMillis(40), Duration.ofMillis(40));
      long began = System.nanoTime();
      text(connection, "SELECT 1");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(79));
    }
  }

  /** Runs with named prepared statements, with unnamed ones, and with simple queries. */
  @ParameterizedTest
  @ValueSource(strings = {"", "&prepareThreshold=0", "&preferQueryMode=simple"})
  void connectionsAreCutBeforeTheCommitOrAfterIt(String parameters) throws Exception {
    try (Connection connection = connect(parameters)) {
      for (int i = 0; i < 8; i++) {
        insert(connection, 1); // long enough for the driver to name its statements
      }
      proxy.cutBeforeCommit(1);
      assertThatThrownBy(() -> insert(connection, 1)).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isEqualTo(8);
    try (Connection connection = connect(parameters)) {
      proxy.cutAfterCommit(1);
      assertThatThrownBy(() -> insert(connection, 1)).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isEqualTo(9);
    try (Connection connection = connect(parameters)) {
      insert(connection, 1);
    }
    assertThat(rows()).isEqualTo(10);
    assertThat(proxy.cutCommits()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"commit", "COMMIT; SELECT 1", "Commit AND CHAIN"})
  void findsACommitInAnyForm(String commit) throws Exception {
    try (Connection connection = connect("&preferQueryMode=simple");
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("INSERT INTO rows VALUES (1)");
      proxy.cutBeforeCommit(1);
      assertThatThrownBy(() -> statement.execute(commit)).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isZero();
  }

  @Test
  void theCommitOfATransactionInOneRoundTripIsFound() throws Exception {
    try (Connection connection = connect("");
        Statement statement = connection.createStatement()) {
      proxy.cutBeforeCommit(1);
      assertThatThrownBy(() -> statement.execute("BEGIN; INSERT INTO rows VALUES (1); COMMIT"))
          .isInstanceOf(SQLException.class);
    }
    assertThat(proxy.cutCommits()).isEqualTo(1);
    assertThat(rows()).isZero();
  }

  /** Runs with named prepared statements, with unnamed ones, and with simple queries. */
  @ParameterizedTest
  @ValueSource(strings = {"", "&prepareThreshold=0", "&preferQueryMode=simple"})
  void cutsAroundStatementsThatWriteInAutoCommitMode(String parameters) throws Exception {
    try (Connection connection = connect(parameters)) {
      for (int i = 0; i < 8; i++) {
        insertByCte(connection);
      }
      proxy.cutBeforeCommit(1);
      text(connection, "SELECT 1");
      assertThatThrownBy(() -> insertByCte(connection)).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isEqualTo(8);
    try (Connection connection = connect(parameters)) {
      proxy.cutAfterCommit(1);
      assertThatThrownBy(() -> insertByCte(connection)).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isEqualTo(9);
    assertThat(proxy.cutCommits()).isEqualTo(2);
  }

  private static void insertByCte(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "WITH added AS (INSERT INTO rows VALUES (1) RETURNING 1) SELECT count(*) FROM added")) {
      insert.execute();
    }
  }

  @Test
  void statementInATransactionIsNotMistakenForItsCommit() throws Exception {
    try (Connection connection = connect("")) {
      connection.setAutoCommit(false);
      proxy.cutBeforeCommit(1);
      insertByCte(connection);
      assertThat(proxy.cutCommits()).isZero();
      connection.rollback();
    }
  }

  @Test
  void discardsCutsThatHaveNotHappened() throws Exception {
    proxy.cutBeforeCommit(3);
    proxy.clearCuts();
    try (Connection connection = connect("")) {
      insert(connection, 1);
    }
    assertThat(rows()).isEqualTo(1);
    assertThat(proxy.cutCommits()).isZero();
  }

  @Test
  void newConnectionsGoToAnotherServer() throws Exception {
    try (TcpProxy other = TcpProxy.before(TestServer.jdbcUrl())) {
      proxy.forwardTo("127.0.0.1", other.port());
      try (Connection connection = connect("")) {
        assertThat(text(connection, "SELECT 1")).isEqualTo("1");
      }
      assertThat(other.accepted()).isEqualTo(1);
    }
  }

  @Test
  void rewritesHostAndPortOfAUrlAndNothingElse() {
    assertThat(proxy.url("jdbc:postgresql://db.example:6432/app?user=a&password=b%2F/"))
        .isEqualTo(
            "jdbc:postgresql://127.0.0.1:%d/app?user=a&password=b%%2F/".formatted(proxy.port()));
    assertThat(proxy.url("jdbc:postgresql://[::1]/app?password=a b|c"))
        .isEqualTo("jdbc:postgresql://127.0.0.1:%d/app?password=a b|c".formatted(proxy.port()));
    for (String several :
        List.of(
            "jdbc:postgresql:app?password=secret",
            "jdbc:postgresql://a:1,b:2/app?password=secret")) {
      assertThatThrownBy(() -> proxy.url(several))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("one host")
          .hasMessageNotContaining("secret");
    }
  }

  private Connection connect(String parameters) throws SQLException {
    return DriverManager.getConnection(proxy.url(TestServer.jdbcUrl()) + parameters);
  }

  private static void insert(Connection connection, int rows) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO rows SELECT * FROM generate_series(1, ?)")) {
      insert.setInt(1, rows);
      insert.execute();
    }
    connection.commit();
  }

  private long rows() throws SQLException {
    try (Connection connection = TestServer.connect()) {
      return Long.parseLong(text(connection, "SELECT count(*) FROM rows"));
    }
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  private void awaitOpen(int wanted) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (proxy.open() != wanted && System.nanoTime() - deadline < 0) {
      Thread.sleep(5);
    }
    assertThat(proxy.open()).isEqualTo(wanted);
  }
}
