package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.JobType;
import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Unique jobs in a caller's transaction, when a rival took the key after the transaction's
 * snapshot: READ COMMITTED answers the rival's job, the stricter levels fail with PostgreSQL's
 * 40001, once and unchanged, to be repeated by whoever owns the transaction.
 */
@QueueTest
class UniqueIsolationTest {

  record Sync(String account) {}

  private static final JobType<Sync> SYNC = JobType.of("sync", Sync.class);
  private static final Unique<Sync> BY_ACCOUNT = Unique.by(Sync::account);

  private QueueDatabase database;
  private UniqueJobs unique;

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
    unique =
        UniqueJobs.on(JobQueue.builder(database.dataSource()).schema(database.schema()).build());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void aKeyTakenAfterTheSnapshotIsAnsweredOrFailsAsPostgresSays(int level) throws SQLException {
    boolean strict = level != Connection.TRANSACTION_READ_COMMITTED;
    try (Connection caller = begin(level)) {
      assertThat(unique.in(caller).enqueue(SYNC, new Sync("own"), BY_ACCOUNT))
          .isInstanceOf(Enqueued.class);
      assertThat(unique.in(caller).enqueue(SYNC, new Sync("own"), BY_ACCOUNT))
          .as("a duplicate in the same transaction")
          .isInstanceOf(AlreadyQueued.class);
      EnqueueResult rival = unique.enqueue(SYNC, new Sync("rival"), BY_ACCOUNT);
      if (strict) {
        assertThatThrownBy(() -> unique.in(caller).enqueue(SYNC, new Sync("rival"), BY_ACCOUNT))
            .isInstanceOfSatisfying(
                StoreException.class,
                failure -> {
                  assertThat(failure.sqlState()).contains("40001");
                  assertThat(failure.getCause()).isInstanceOf(SQLException.class);
                });
        caller.rollback();
        assertThat(jobs()).isEqualTo("rival");
      }
      assertThat(unique.in(caller).enqueue(SYNC, new Sync("rival"), BY_ACCOUNT))
          .isEqualTo(new AlreadyQueued(rival.jobId()));
      caller.commit();
    }
    assertThat(jobs()).isEqualTo(strict ? "rival" : "own rival");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void throughJooqTheFailureIsJooqs(int level) throws SQLException {
    try (Connection caller = begin(level)) {
      UniqueEnqueuer bound = unique.in(DSL.using(caller, SQLDialect.POSTGRES));
      bound.enqueue(SYNC, new Sync("own"), BY_ACCOUNT);
      EnqueueResult rival = unique.enqueue(SYNC, new Sync("rival"), BY_ACCOUNT);
      if (level == Connection.TRANSACTION_READ_COMMITTED) {
        assertThat(bound.enqueue(SYNC, new Sync("rival"), BY_ACCOUNT))
            .isEqualTo(new AlreadyQueued(rival.jobId()));
      } else {
        assertThatThrownBy(() -> bound.enqueue(SYNC, new Sync("rival"), BY_ACCOUNT))
            .isInstanceOfSatisfying(
                DataAccessException.class,
                failure -> assertThat(failure.sqlState()).isEqualTo("40001"));
      }
      caller.rollback();
    }
    assertThat(jobs()).isEqualTo("rival");
  }

  private Connection begin(int level) throws SQLException {
    Connection connection = DriverManager.getConnection(database.jdbcUrl());
    connection.setTransactionIsolation(level);
    connection.setAutoCommit(false);
    return connection;
  }

  /** Accounts of the live jobs. */
  private String jobs() throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT string_agg(payload ->> 'account', ' ' ORDER BY payload ->> 'account') FROM "
                    + database.schema()
                    + ".jobs")) {
      row.next();
      return row.getString(1);
    }
  }
}
