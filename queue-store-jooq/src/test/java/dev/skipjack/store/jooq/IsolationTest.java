package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.internal.payload.PayloadLimits;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.util.PSQLException;

/**
 * Tests each operation in a caller's transaction of each isolation level, if another session has
 * changed the same row since the snapshot. At READ COMMITTED, the operation sees the change. At
 * stricter levels, the caller gets PostgreSQL's error 40001 unchanged. The pool's default isolation
 * level does not affect the queue's own transactions.
 */
@QueueTest
class IsolationTest {

  enum Level {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED, "read committed"),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ, "repeatable read"),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE, "serializable");

    final int jdbc;
    final String sql;

    Level(int jdbc, String sql) {
      this.jdbc = jdbc;
      this.sql = sql;
    }

    boolean isStrict() {
      return this != READ_COMMITTED;
    }
  }

  private static final JobType<String> TEXT = JobType.of("text", String.class);

  private Fixture fixture;
  private JobQueue queue;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    queue = fixture.queue;
  }

  /** A new row conflicts with no change by another session. */
  @ParameterizedTest
  @EnumSource
  void enqueueCommitsAndRollsBackWithTheCaller(Level level) throws SQLException {
    try (Caller caller = new Caller(level)) {
      caller.seesTheDatabase();
      fixture.enqueue(1);
      queue.in(caller.connection).enqueue(WORK, new Fixture.Work(2));
      queue.in(caller.dsl()).enqueueAll(WORK, List.of(new Fixture.Work(3), new Fixture.Work(4)));
      caller.connection.rollback();
      assertThat(numbers()).isEqualTo("1");

      queue.in(caller.connection).enqueue(WORK, new Fixture.Work(5));
      caller.connection.commit();
    }
    assertThat(numbers()).isEqualTo("1 5");
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalThatIsTypedLeavesTheTransactionUsable(Level level) throws SQLException {
    try (Caller caller = new Caller(level)) {
      JobEnqueuer bound = queue.in(caller.connection);
      JobId known = bound.enqueue(WORK, new Fixture.Work(1), IsolationTest::withKey);

      assertThat(bound.enqueueOnce(WORK, new Fixture.Work(2), IsolationTest::withKey))
          .isEqualTo(new AlreadyQueued(known));
      assertThatThrownBy(() -> bound.enqueue(TEXT, "x".repeat(PayloadLimits.LARGEST + 1)))
          .isInstanceOf(PayloadException.class);
      assertThatThrownBy(() -> bound.enqueueOnce(WORK, new Fixture.Work(3), job -> job))
          .isInstanceOf(IllegalArgumentException.class);
      bound.enqueue(WORK, new Fixture.Work(4));
      caller.connection.commit();
    }
    assertThat(numbers()).isEqualTo("1 4");
  }

  @ParameterizedTest
  @EnumSource
  void enqueueOnceReturnsAConcurrentJobOrFailsAsPostgresDocuments(Level level) throws SQLException {
    try (Caller caller = new Caller(level)) {
      caller.seesTheDatabase();
      queue.in(caller.connection).enqueue(WORK, new Fixture.Work(1));
      JobId rival = queue.enqueue(WORK, new Fixture.Work(2), IsolationTest::withKey);
      if (level.isStrict()) {
        assertSerializationFailure(
            () ->
                queue
                    .in(caller.connection)
                    .enqueueOnce(WORK, new Fixture.Work(3), IsolationTest::withKey));
        caller.connection.rollback();
      } else {
        assertThat(
                queue
                    .in(caller.connection)
                    .enqueueOnce(WORK, new Fixture.Work(3), IsolationTest::withKey))
            .isEqualTo(new AlreadyQueued(rival));
        caller.connection.commit();
      }
      assertThat(numbers()).isEqualTo(level.isStrict() ? "2" : "1 2");

      assertThat(
              queue
                  .in(caller.connection)
                  .enqueueOnce(WORK, new Fixture.Work(3), IsolationTest::withKey))
          .as("the caller's next try")
          .isEqualTo(new AlreadyQueued(rival));
      caller.connection.commit();
    }
  }

  /** The call throws jOOQ's own exception, which the caller's code handles. */
  @ParameterizedTest
  @EnumSource
  void enqueueOnceThroughJooqFailsWithJooqsException(Level level) throws SQLException {
    try (Caller caller = new Caller(level)) {
      caller.seesTheDatabase();
      JobId rival = queue.enqueue(WORK, new Fixture.Work(1), IsolationTest::withKey);
      JobEnqueuer bound = queue.in(caller.dsl());
      if (level.isStrict()) {
        assertThatThrownBy(
                () -> bound.enqueueOnce(WORK, new Fixture.Work(2), IsolationTest::withKey))
            .isInstanceOfSatisfying(
                DataAccessException.class,
                failure -> {
                  assertThat(failure.sqlState()).isEqualTo("40001");
                  assertThat(failure.getCause()).isInstanceOf(PSQLException.class);
                });
      } else {
        assertThat(bound.enqueueOnce(WORK, new Fixture.Work(2), IsolationTest::withKey))
            .isEqualTo(new AlreadyQueued(rival));
      }
      caller.connection.rollback();
    }
    assertThat(numbers()).isEqualTo("1");
  }

  /** Another session has changed the row in the meantime, as a heartbeat does. */
  @ParameterizedTest
  @EnumSource
  void completeInSeesARenewalOrFailsAsPostgresDocuments(Level level) throws SQLException {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(LEASE);
    try (Caller caller = new Caller(level)) {
      caller.seesTheDatabase();
      queue.in(caller.connection).enqueue(WORK, new Fixture.Work(2));
      fixture.store.heartbeat(List.of(execution), LEASE);
      if (level.isStrict()) {
        assertSerializationFailure(
            () -> caller.dsl().connection(c -> fixture.store.completeIn(c, execution)));
        caller.connection.rollback();
        assertThat(numbers()).isEqualTo("1");
        assertThat(fixture.owns(execution)).isTrue();
        caller.seesTheDatabase();
        fixture.store.completeIn(caller.connection, execution);
      } else {
        fixture.store.completeIn(caller.connection, execution);
      }
      caller.connection.commit();
    }
    assertThat(fixture.value("SELECT status FROM @jobs_archive")).isEqualTo("completed");
    assertThat(numbers()).isEqualTo(level.isStrict() ? "(no value)" : "2");
  }

  @ParameterizedTest
  @EnumSource
  void completeInOfALostLeaseIsRefusedAndLeavesTheTransactionUsable(Level level)
      throws SQLException {
    fixture.enqueue(1);
    Execution zombie = fixture.claimOne(EXPIRED);
    fixture.store.rescue(Duration.ZERO, 1);
    try (Caller caller = new Caller(level)) {
      caller.seesTheDatabase();
      assertThatThrownBy(() -> fixture.store.completeIn(caller.connection, zombie))
          .isInstanceOf(LeaseLostException.class);
      caller.seesTheDatabase();
      caller.connection.rollback();
    }
    assertThat(fixture.value("SELECT status FROM @jobs")).isEqualTo("pending");
  }

  /** At a stricter level, a claim would fail with 40001 whenever two workers claim the same job. */
  @ParameterizedTest
  @EnumSource
  void queuesOwnTransactionsAreReadCommittedWithAnyDefaultOfThePool(Level level) throws Exception {
    fixture.enqueue(2);
    fixture.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''"
            + level.sql
            + "''', current_database()); END $$");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (HikariDataSource pool = fixture.database.newDataSource(1);
        Gate gate = new Gate(fixture)) {
      JobStore store = JobQueue.builder(pool).schema(fixture.database.schema()).build().store();
      int pid = gate.stopsTheOneOf(pool);
      gate.shut();
      Future<List<ClaimedJob>> claim =
          thread.submit(() -> store.claim(Fixture.request(1, LEASE, new Lane("default", 0))));
      gate.awaitArrival(claim, pid);
      Execution rival = fixture.claimOne(LEASE);
      gate.open();

      Execution claimed = claim.get().get(0).execution();
      assertThat(claimed.jobId()).isNotEqualTo(rival.jobId());

      gate.shut();
      Future<List<Verdict>> completion = thread.submit(() -> store.complete(List.of(claimed)));
      gate.awaitArrival(completion, pid);
      fixture.store.heartbeat(List.of(claimed), LEASE);
      gate.open();
      assertThat(completion.get()).containsExactly(Verdict.DONE);
    } finally {
      thread.shutdownNow();
      fixture.execute(
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_isolation',"
              + " current_database()); END $$");
    }
  }

  private static EnqueueOptions withKey(EnqueueOptions job) {
    return job.idempotencyKey("order-1");
  }

  /** Makes only one call, because a second one in the same transaction would fail with 25P02. */
  private static void assertSerializationFailure(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> {
              assertThat(failure.sqlState()).contains("40001");
              assertThat(failure.getCause()).isInstanceOf(PSQLException.class);
            });
  }

  /** Returns the numbers of the live jobs in id order. */
  private String numbers() {
    return fixture.value(
        "SELECT coalesce(string_agg(payload ->> 'number', ' ' ORDER BY id), '(no value)') FROM"
            + " @jobs");
  }

  /** A caller with its own transaction. */
  private final class Caller implements AutoCloseable {

    final Connection connection;

    Caller(Level level) throws SQLException {
      connection = DriverManager.getConnection(fixture.database.jdbcUrl());
      connection.setTransactionIsolation(level.jdbc);
      connection.setAutoCommit(false);
    }

    DSLContext dsl() {
      return DSL.using(connection, SQLDialect.POSTGRES);
    }

    /**
     * Takes the snapshot that the stricter levels keep, and shows that the transaction has not
     * failed.
     */
    void seesTheDatabase() throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SELECT 1");
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
