package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.Retention;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests data sources that are bound to the caller's transaction and provide its connection. */
@QueueTest
class OpenTransactionTest {

  private QueueDatabase database;
  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
    this.fixture = new Fixture(database);
    fixture.execute("CREATE TABLE IF NOT EXISTS orders (id int)");
    fixture.execute("DELETE FROM orders");
  }

  /**
   * @param unwraps whether connections unwrap to the driver's
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyCallRefusesAConnectionInATransactionBeforeAnySql(boolean unwraps) throws SQLException {
    try (Connection caller = database.connection();
        Statement statement = caller.createStatement()) {
      caller.setAutoCommit(false);
      statement.execute("INSERT INTO orders VALUES (1)");
      String pid = Long.toString(pidOf(caller));

      SoftAssertions all = new SoftAssertions();
      calls(boundTo(caller, unwraps))
          .forEach(
              (name, call) ->
                  all.assertThatThrownBy(call)
                      .as(name)
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessageContaining("queue.in(connection)"));
      all.assertAll();
      // Pruning throws nothing, but lists the steps that failed.
      assertThat(queueOn(boundTo(caller, unwraps)).maintenance().prune().failed()).isNotEmpty();

      assertThat(fixture.value("SELECT query FROM pg_stat_activity WHERE pid = " + pid))
          .as("the last statement on the caller's connection")
          .isEqualTo("INSERT INTO orders VALUES (1)");
      caller.rollback();
    }
    assertThat(fixture.value("SELECT count(*) FROM orders")).isEqualTo("0");
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  /**
   * If the queue rolled back, the caller's next statements would be committed without the first
   * ones.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedTransactionIsRefusedAndLeftToItsOwner(boolean unwraps) throws SQLException {
    try (Connection caller = database.connection();
        Statement statement = caller.createStatement()) {
      caller.setAutoCommit(false);
      assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);
      JobQueue queue = queueOn(boundTo(caller, unwraps));

      assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Fixture.Work(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("failed and not rolled back");

      assertThatThrownBy(() -> statement.execute("INSERT INTO orders VALUES (1)"))
          .isInstanceOfSatisfying(
              SQLException.class, left -> assertThat(left.getSQLState()).isEqualTo("25P02"));
      caller.rollback();
      queue.enqueue(Fixture.WORK, new Fixture.Work(2));
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
  }

  /** The transaction is begun in SQL, which the driver learns from the server's responses. */
  @Test
  void aTransactionBegunInSqlIsRefused() throws SQLException {
    try (Connection caller = database.connection();
        Statement statement = caller.createStatement()) {
      statement.execute("BEGIN");
      JobQueue queue = queueOn(boundTo(caller, true));

      assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Fixture.Work(1)))
          .isInstanceOf(IllegalStateException.class);

      statement.execute("ROLLBACK");
    }
  }

  /** An application may enqueue first and then write its own rows. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void transactionWithoutStatementsIsRefusedIfConnectionsHadAutoCommit(boolean unwraps)
      throws SQLException {
    try (Connection caller = database.connection()) {
      JobQueue queue = queueOn(boundTo(caller, unwraps));
      queue.enqueue(Fixture.WORK, new Fixture.Work(1));
      caller.setAutoCommit(false);

      assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Fixture.Work(2)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("queue.in(connection)");

      caller.rollback();
      caller.setAutoCommit(true);
      queue.enqueue(Fixture.WORK, new Fixture.Work(3));
    }
    assertThat(numbers()).isEqualTo("1 3");
  }

  @Test
  void transactionWithoutStatementsIsRefusedAtOnceIfThePoolIsHikariWithAutoCommit()
      throws SQLException {
    try (HikariDataSource pool = pool(true, 1);
        Connection caller = pool.getConnection()) {
      caller.setAutoCommit(false);
      JobQueue queue = queueOn(boundTo(caller, true, pool));

      assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Fixture.Work(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("queue.in(connection)");
    }
    assertThat(numbers()).isNull();
  }

  /**
   * The pool has one connection, so the queue must not request a second one while it is borrowed.
   */
  @Test
  void aHikariPoolWithoutAutoCommitIsNeverRefused() {
    try (HikariDataSource pool = pool(false, 1)) {
      JobQueue queue = queueOn(pool);
      queue.enqueue(Fixture.WORK, new Fixture.Work(1));
      queue.enqueue(Fixture.WORK, new Fixture.Work(2));
    }
    assertThat(numbers()).isEqualTo("1 2");
  }

  /** Some pools do not turn auto-commit on again when a connection is returned. */
  @Test
  void aPoolWhoseUsersLeaveAutoCommitSwitchedOffIsNotRefused() throws SQLException {
    try (Connection one = database.connection();
        Connection other = database.connection()) {
      Deque<Connection> idle = new ArrayDeque<>(List.of(one, other));
      AtomicInteger borrowed = new AtomicInteger();
      JobQueue queue = queueOn(poolOf(idle, borrowed));
      queue.enqueue(Fixture.WORK, new Fixture.Work(1));
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      borrowed.set(0);

      queue.enqueue(Fixture.WORK, new Fixture.Work(2));
      queue.enqueue(Fixture.WORK, new Fixture.Work(3));

      // An enqueue and its wake-up borrow one connection each. Each of them may once borrow a
      // second one for comparison.
      assertThat(borrowed).hasValueLessThanOrEqualTo(6);
      assertThat(idle).hasSize(2);
    }
    assertThat(numbers()).isEqualTo("1 2 3");
  }

  /** Such a pool's connections have no open transaction. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void connectionsOfAPoolWithoutAutoCommitAreAccepted(boolean unwraps) throws SQLException {
    try (Connection idle = database.connection()) {
      idle.setAutoCommit(false);
      JobQueue queue = queueOn(boundTo(idle, unwraps));

      queue.enqueue(Fixture.WORK, new Fixture.Work(1));
      queue.enqueueAll(Fixture.WORK, List.of(new Fixture.Work(2), new Fixture.Work(3)));

      assertThat(idle.getAutoCommit()).isFalse();
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("3");
  }

  /**
   * Pools roll back connections that are returned with an open transaction, so the queue can use
   * them.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void failedTransactionThatWasReturnedToItsPoolIsAccepted(boolean autoCommit) throws SQLException {
    try (HikariDataSource pool = pool(autoCommit, 1)) {
      try (Connection leaked = pool.getConnection();
          Statement statement = leaked.createStatement()) {
        leaked.setAutoCommit(false);
        assertThatThrownBy(() -> statement.execute("SELECT 1 / 0"))
            .isInstanceOf(SQLException.class);
      }
      queueOn(pool).enqueue(Fixture.WORK, new Fixture.Work(1));
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
  }

  private Map<String, ThrowingCallable> calls(DataSource bound) {
    fixture.enqueue(1);
    Execution execution =
        fixture.claim(1, Fixture.LEASE).stream().map(job -> job.execution()).toList().get(0);
    fixture.store.complete(List.of(execution));
    JobQueue queue = queueOn(bound);
    JobStore store = queue.store();
    WorkerId worker = WorkerId.boot("w");
    List<JobId> ids = List.of(execution.jobId());
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    Fixture.Work work = new Fixture.Work(1);
    calls.put("enqueue", () -> queue.enqueue(Fixture.WORK, work));
    calls.put("enqueueAll", () -> queue.enqueueAll(Fixture.WORK, List.of(work, work)));
    calls.put(
        "enqueueOnce",
        () -> queue.enqueueOnce(Fixture.WORK, work, job -> job.idempotencyKey("once")));
    calls.put("admin.cancel", () -> queue.admin().cancel(ids));
    calls.put("admin.redrive", () -> queue.admin().redrive(ids));
    calls.put("admin.redriveAll", () -> queue.admin().redriveAll(DeadJobs.all()));
    calls.put("admin.prune", () -> queue.admin().prune(ids));
    calls.put("admin.pruneAll", () -> queue.admin().pruneAll(DeadJobs.all(), Duration.ZERO));
    calls.put("admin.pause", () -> queue.admin().pause("other"));
    calls.put("admin.resume", () -> queue.admin().resume("other"));
    calls.put("admin.configure", () -> queue.admin().configure("other", QueueSettings.defaults()));
    calls.put("admin.settings", () -> queue.admin().settings("other"));
    calls.put("reader.find", () -> queue.reader().find(ids.get(0)));
    calls.put("reader.list", () -> queue.reader().list(JobQuery.live()));
    calls.put("reader.counts", () -> queue.reader().counts());
    calls.put("reader.workers", () -> queue.reader().workers());
    calls.put("store.dueLanes", () -> store.dueLanes(List.of("default")));
    calls.put(
        "store.claim",
        () -> store.claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0))));
    calls.put("store.heartbeat", () -> store.heartbeat(List.of(execution), Fixture.LEASE));
    calls.put("store.complete", () -> store.complete(List.of(execution)));
    calls.put(
        "store.fail",
        () -> store.fail(List.of(new Failure(execution, JobError.of("no"), Duration.ZERO, false))));
    calls.put("store.rescue", () -> store.rescue(Duration.ZERO, 1));
    calls.put(
        "leases.heartbeat",
        () -> {
          try (LeaseKeeper leases = queue.leases()) {
            leases.heartbeat(List.of(execution), Fixture.LEASE);
          }
        });
    calls.put(
        "leases.reserve",
        () -> {
          try (LeaseKeeper leases = queue.leases()) {
            leases.reserve();
          }
        });
    calls.put("createPartitions", () -> queue.maintenance().createPartitions(Duration.ofDays(1)));
    calls.put("removePartitions", () -> queue.maintenance().removePartitions(Retention.defaults()));
    calls.put(
        "workers.announce",
        () -> queue.workers().announce(new WorkerRow(worker, null, 1, List.of(), List.of(), "{}")));
    calls.put("workers.remove", () -> queue.workers().remove(worker));
    calls.put("wakeUps.subscribe", () -> queue.wakeUps().orElseThrow().subscribe().close());
    return calls;
  }

  private JobQueue queueOn(DataSource dataSource) {
    return JobQueue.builder(dataSource).schema(database.schema()).build();
  }

  private static long pidOf(Connection connection) throws SQLException {
    return connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();
  }

  private HikariDataSource pool(boolean autoCommit, int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setMaximumPoolSize(size);
    pool.setAutoCommit(autoCommit);
    pool.setConnectionTimeout(5_000);
    return pool;
  }

  /** Returns the numbers in the payloads of the existing jobs. */
  private @Nullable String numbers() {
    return fixture.value(
        "SELECT string_agg(payload ->> 'number', ' ' ORDER BY payload ->> 'number') FROM @jobs");
  }

  /** Returns a data source that provides {@code caller}, which only the caller closes. */
  private static DataSource boundTo(Connection caller, boolean unwraps) {
    return boundTo(caller, unwraps, null);
  }

  /**
   * @param pool the pool that the data source wraps, or null if it does not reveal it
   */
  private static DataSource boundTo(Connection caller, boolean unwraps, @Nullable DataSource pool) {
    Connection bound =
        (Connection)
            Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("close")) {
                    return null;
                  }
                  if (!unwraps && method.getName().equals("isWrapperFor")) {
                    return false;
                  }
                  if (!unwraps && method.getName().equals("unwrap")) {
                    throw new SQLException("Wraps nothing.");
                  }
                  return invoke(caller, method, arguments);
                });
    return dataSource(() -> bound, pool);
  }

  /** Returns a pool that does not reset connections. */
  private static DataSource poolOf(Deque<Connection> idle, AtomicInteger borrowed) {
    return dataSource(
        () -> {
          Connection connection = idle.remove();
          borrowed.incrementAndGet();
          return (Connection)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                      if (!idle.contains(connection)) {
                        idle.addFirst(connection);
                      }
                      return null;
                    }
                    return invoke(connection, method, arguments);
                  });
        },
        null);
  }

  private static DataSource dataSource(
      Supplier<Connection> connections, @Nullable DataSource wrapped) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getConnection")) {
                return connections.get();
              }
              if (wrapped == null) {
                throw new UnsupportedOperationException(method.getName());
              }
              return invoke(wrapped, method, arguments);
            });
  }

  private static @Nullable Object invoke(Object target, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
  }
}
