package dev.skipjack.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import dev.skipjack.api.StoreException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

@Timeout(60)
@QueueTest
class PoolBypassTest {

  private static final Field<?> PID = DSL.field("pg_backend_pid()").as("pid");
  private static final dev.skipjack.sql.Statement<NoRequest, String> SESSION =
      dev.skipjack.sql.Statement.of(
          DSL.using(SQLDialect.POSTGRES), DSL.select(PID), row -> row.text(PID));

  private final Driver driver = new Driver();
  private final HikariConfig settings = new HikariConfig();

  /** Null until the test opens it, because its settings cannot be changed later. */
  private @Nullable HikariDataSource pool;

  @BeforeEach
  void setUp(QueueDatabase database) {
    driver.setURL(database.jdbcUrl());
    settings.setDataSource(driver);
    settings.setMaximumPoolSize(2);
    settings.setInitializationFailTimeout(-1);
  }

  @AfterEach
  void closePool() {
    if (pool != null) {
      pool.close();
    }
  }

  private OwnConnections open() {
    return open(Duration.ofMinutes(1)); // a busy machine may take long to connect
  }

  /**
   * @param hangs how long an attempt of the pool to connect may last before it is assumed to hang
   */
  private OwnConnections open(Duration hangs) {
    pool = new HikariDataSource(settings);
    return OwnConnections.ofWorkers(pool, hangs);
  }

  private HikariDataSource opened() {
    return Objects.requireNonNull(pool);
  }

  private static String session(KeptTransactions kept) {
    return kept.run(SESSION, NoRequest.NONE).get(0);
  }

  @Test
  void connectionWithThePoolsSettingsIsOpenedWhileThePoolCannotConnect() throws SQLException {
    settings.setConnectionInitSql("SET application_name = 'first'");
    settings.setSchema("pg_temp");
    settings.setAutoCommit(false);
    settings.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
    driver.poolFails = true;
    OwnConnections connections = open();

    Connection driversOwn;
    try (Connection connection = connections.borrow()) {
      driversOwn = connection;
      assertThat(connections.isBesidePool(connection)).isTrue();
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(value(connection, "SHOW application_name")).isEqualTo("first");
      assertThat(value(connection, "SHOW search_path")).contains("pg_temp");
      assertThat(value(connection, "SHOW transaction_isolation")).isEqualTo("serializable");
      connection.rollback();
    }
    assertThat(driversOwn.isClosed()).isTrue();
  }

  @Test
  void thePoolIsUsedAgainWhenItHasRecovered() {
    driver.poolFails = true;
    OwnConnections connections = open();
    assertThat(isBesidePool(connections)).isTrue();

    driver.poolFails = false;
    await().until(() -> !isBesidePool(connections));
  }

  @Test
  void anUnavailableServerIsReportedWithoutWaitingForThePool() {
    driver.poolFails = true;
    driver.allFail = true;
    OwnConnections connections = open();

    assertThatThrownBy(connections::borrow)
        .isInstanceOf(PSQLException.class)
        .hasMessage("The server is away.");
  }

  @Test
  void noConnectionIsOpenedBesideAPoolWhoseConnectionsAreAllInUse() throws SQLException {
    settings.setMaximumPoolSize(1);
    OwnConnections connections = open();

    try (Connection held = connections.borrow()) {
      opened().setConnectionTimeout(Duration.ofSeconds(1).toMillis());
      assertThat(connections.isBesidePool(held)).isFalse();
      assertThatThrownBy(connections::borrow)
          .isInstanceOfSatisfying(
              StoreException.class, refused -> assertThat(refused.isPoolExhausted()).isTrue());
    }
    assertThat(driver.opened).hasValue(1);
  }

  @Test
  void poolWhoseConnectionsAllBreakInUseIsNotAwaited() throws Exception {
    settings.setMaximumPoolSize(1);
    settings.setConnectionTimeout(Duration.ofMinutes(5).toMillis());
    OwnConnections connections = open();
    CompletableFuture<Boolean> besidePool;
    try (Connection held = connections.borrow()) {
      besidePool = CompletableFuture.supplyAsync(() -> isBesidePool(connections));
      await().until(() -> opened().getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
      driver.poolFails = true;
      opened().evictConnection(held);
    }

    assertThat(besidePool.get(30, TimeUnit.SECONDS)).isTrue();
  }

  /** Another process may use up the connection limit of the role. */
  @Test
  void aConnectionThatIsReturnedIsAwaitedIfTheServerRefusesFurtherOnes() throws Exception {
    driver.limit = 1;
    OwnConnections connections = open();
    CompletableFuture<Boolean> besidePool;
    try (Connection held = connections.borrow()) {
      assertThat(held.isClosed()).isFalse();
      besidePool = CompletableFuture.supplyAsync(() -> isBesidePool(connections));
      await().until(() -> driver.besideRefused.get() > 0 || besidePool.isDone());
      await().during(Duration.ofSeconds(1)).until(() -> !besidePool.isDone());
    }

    assertThat(besidePool.get(30, TimeUnit.SECONDS)).isFalse();
    assertThat(driver.besideRefused).hasValue(1);
  }

  /** Heartbeats would otherwise wait until handlers return connections, and leases would expire. */
  @Test
  void aConnectionBesideThePoolIsKeptWhileThePoolHasNone() throws SQLException {
    settings.setMaximumPoolSize(1);
    driver.poolFails = true;
    try (KeptTransactions kept = new KeptTransactions(open())) {
      String first = session(kept);
      driver.poolFails = false;
      try (Connection lent = opened().getConnection()) {
        opened().setConnectionTimeout(Duration.ofMinutes(5).toMillis());
        assertThat(value(lent, "SELECT pg_backend_pid()")).isNotEqualTo(first);

        assertThat(session(kept)).isEqualTo(first);
        kept.reserve();
        assertThat(session(kept)).isEqualTo(first);
      }

      assertThat(session(kept)).isNotEqualTo(first);
      assertThat(opened().getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
    }
  }

  /**
   * In Java 17, a thread that stops waiting before threads that came earlier may leave the pool's
   * queue in a state in which later waits do not end in time.
   */
  @Test
  void theWaitEndsInTimeAlthoughOtherThreadsWaitLonger() throws Exception {
    driver.poolFails = true;
    OwnConnections connections = open();
    Thread first = waitForPool(Duration.ofSeconds(3));
    assertThat(isBesidePool(connections)).isTrue();
    assertThat(isBesidePool(connections)).isTrue();
    first.join();
    assertThat(isBesidePool(connections)).isTrue();
    Thread second = waitForPool(Duration.ofSeconds(20));

    CompletableFuture<Boolean> besidePool =
        CompletableFuture.supplyAsync(() -> isBesidePool(connections));

    assertThat(besidePool.get(10, TimeUnit.SECONDS)).isTrue();
    assertThat(second.isAlive()).isTrue();
  }

  /** A connection that arrives too late must not be lost to the pool. */
  @Test
  void aConnectionThatNoThreadAwaitsAnyMoreReturnsToThePool() throws Exception {
    settings.setMaximumPoolSize(1);
    settings.setMinimumIdle(0);
    driver.poolFails = true;
    OwnConnections connections = open();
    assertThat(isBesidePool(connections)).isTrue();

    driver.poolFails = false;

    await().until(() -> opened().getHikariPoolMXBean().getIdleConnections() == 1);
    assertThat(isBesidePool(connections)).isFalse();
  }

  @Test
  void aStoppedThreadDoesNotWaitForThePool() {
    settings.setMaximumPoolSize(1);
    OwnConnections connections = open();
    try (Connection held = connections.borrow()) {
      assertThat(connections.isBesidePool(held)).isFalse();
      Thread.currentThread().interrupt();

      assertThatThrownBy(connections::borrow).hasRootCauseInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  /** Starts a thread that waits for a connection of the pool, and returns once it waits. */
  private Thread waitForPool(Duration longest) {
    HikariPool hikari = (HikariPool) opened().getHikariPoolMXBean();
    Thread waiting =
        new Thread(
            () -> {
              try (Connection connection = hikari.getConnection(longest.toMillis())) {
                throw new AssertionError("The pool cannot connect, but provided " + connection);
              } catch (SQLException none) {
                Thread.onSpinWait(); // as expected
              }
            });
    waiting.setDaemon(true);
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    return waiting;
  }

  @Test
  void theConnectionHasTheUserOfThePool() throws SQLException {
    settings.setUsername(String.valueOf(driver.getUser()));
    settings.setPassword(driver.getPassword());
    driver.setUser("nobody");
    driver.setPassword("wrong");
    driver.poolFails = true;
    OwnConnections connections = open();

    try (Connection connection = connections.borrow()) {
      assertThat(connections.isBesidePool(connection)).isTrue();
      assertThat(value(connection, "SELECT session_user")).isEqualTo(opened().getUsername());
    }
  }

  @Test
  void aServerThatIsSlowToConnectIsAwaited() throws SQLException {
    driver.slow = Duration.ofSeconds(1);
    OwnConnections connections = open();

    try (Connection connection = connections.borrow()) {
      assertThat(connections.isBesidePool(connection)).isFalse();
    }
  }

  @Test
  void anAttemptOfThePoolThatHangsIsNotAwaited() throws SQLException {
    driver.poolHangs = true;
    OwnConnections connections = open(Duration.ofMillis(100));

    try (Connection connection = connections.borrow()) {
      assertThat(connections.isBesidePool(connection)).isTrue();
    } finally {
      driver.poolHangs = false;
    }
  }

  /** A subclass may count, trace or restrict its connections. */
  @Test
  void aSubclassOfThePoolIsNotBypassed() {
    try (HikariDataSource subclass = new HikariDataSource(settings) {}) {
      assertThat(PoolBypass.of(subclass, PoolBypass.HANGS)).isEmpty();
    }
  }

  private static boolean isBesidePool(OwnConnections connections) {
    try (Connection connection = connections.borrow()) {
      return connections.isBesidePool(connection);
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  private static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  /** A driver that fails in the pool's own thread, as if the pool paused between two attempts. */
  private static final class Driver extends PGSimpleDataSource {

    private static final long serialVersionUID = 1;

    private volatile boolean poolFails;
    private volatile boolean poolHangs;
    private volatile boolean allFail;
    private volatile Duration slow = Duration.ZERO;
    private volatile int limit = Integer.MAX_VALUE;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger besideRefused = new AtomicInteger();

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password)
        throws SQLException {
      boolean pools = Thread.currentThread().getName().contains("connection-adder");
      if (allFail || (pools && poolFails)) {
        throw new PSQLException("The server is away.", PSQLState.CONNECTION_UNABLE_TO_CONNECT);
      }
      while (pools && poolHangs) {
        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
      }
      if (opened.get() >= limit) {
        if (!pools) {
          besideRefused.incrementAndGet();
        }
        throw new SQLException("Too many connections for this role.", "53300");
      }
      opened.incrementAndGet();
      LockSupport.parkNanos(slow.toNanos());
      return super.getConnection(user, password);
    }
  }
}
