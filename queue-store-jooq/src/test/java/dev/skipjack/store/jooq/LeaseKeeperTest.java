package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that heartbeats continue while all of the pool's connections are in use. */
@QueueTest
class LeaseKeeperTest {

  private static final Renewal RENEWED = new Renewal(Verdict.DONE, false);

  private final String name = "leases-" + UUID.randomUUID();
  private Fixture fixture;
  private HikariDataSource pool;
  private LeaseKeeper leases;
  private Execution execution;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setMaximumPoolSize(2);
    pool.setMinimumIdle(0);
    pool.addDataSourceProperty("ApplicationName", name);
    leases = JobQueue.builder(pool).schema(database.schema()).build().leases();
    fixture.enqueue(1);
    execution = fixture.claimOne(Duration.ofSeconds(1));
  }

  @AfterEach
  void tearDown() {
    leases.close();
    pool.close();
  }

  private List<Renewal> beat() {
    return leases.heartbeat(List.of(execution), Duration.ofHours(1));
  }

  private int borrowed() {
    // The pool starts with its first connection.
    return pool.isRunning() ? pool.getHikariPoolMXBean().getActiveConnections() : 0;
  }

  private void cutTheConnection() {
    assertThat(
            fixture.value(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '"
                    + name
                    + "'"))
        .isNotEqualTo("0");
  }

  @Test
  void heartbeatsKeepTheirConnectionWithoutATransaction() {
    assertThat(beat()).containsExactly(RENEWED);
    assertThat(beat()).containsExactly(RENEWED);

    assertThat(borrowed()).isEqualTo(1);
    assertThat(fixture.value("SELECT lease_expires_at > now() + interval '50 minutes' FROM @jobs"))
        .isEqualTo("t");
    assertThat(
            fixture.value(
                "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
                    + " AND datname = current_database()"))
        .isEqualTo("0");
  }

  @Test
  void leasesAreRenewedWhileHandlersHoldAllOtherConnections() throws SQLException {
    pool.setConnectionTimeout(250);
    assertThat(beat()).containsExactly(RENEWED);
    try (Connection handlers = pool.getConnection()) {
      assertThat(handlers.isValid(1)).isTrue();
      assertThatThrownBy(() -> pool.getConnection()).isInstanceOf(SQLException.class);

      assertThat(beat()).containsExactly(RENEWED);
    }
  }

  @Test
  void anotherConnectionIsBorrowedAfterABrokenOne() {
    beat();
    cutTheConnection();

    assertThatThrownBy(this::beat).isInstanceOf(StoreException.class);

    assertThat(borrowed()).isZero();
    assertThat(beat()).containsExactly(RENEWED);
    assertThat(borrowed()).isEqualTo(1);
  }

  @Test
  void leasesAreRenewedAgainAfterThePoolWasExhausted() throws SQLException {
    pool.setConnectionTimeout(250);
    try (Connection one = pool.getConnection();
        Connection other = pool.getConnection()) {
      assertThat(one).isNotSameAs(other);
      assertThatThrownBy(this::beat).isInstanceOf(StoreException.class);
    }
    assertThat(beat()).containsExactly(RENEWED);
  }

  @Test
  void closeReturnsTheConnectionUnchanged() throws SQLException {
    beat();

    leases.close();
    leases.close();

    assertThat(borrowed()).isZero();
    try (Connection connection = pool.getConnection()) {
      assertThat(connection.getAutoCommit()).isTrue();
    }
    assertThatThrownBy(this::beat).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anEmptyBatchNeedsNoConnection() {
    assertThat(leases.heartbeat(List.of(), Duration.ofHours(1))).isEmpty();
    assertThat(borrowed()).isZero();
  }

  @Test
  void leaseThatIsNotPositiveOrTooLongIsRefused() {
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(366))) {
      assertThatThrownBy(() -> leases.heartbeat(List.of(execution), wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(borrowed()).isZero();
  }

  @Test
  void heartbeatReportsLostLeasesAndRequestedCancellations() {
    beat();
    fixture.queue.admin().cancel(List.of(execution.jobId()));
    assertThat(beat()).containsExactly(new Renewal(Verdict.DONE, true));

    fixture.store.complete(List.of(execution));
    assertThat(beat()).containsExactly(new Renewal(Verdict.LOST, false));
  }

  @Test
  void cancellationsAreReadWithoutALockAndForTheOwnerOnly() throws SQLException {
    assertThat(leases.cancelRequested(List.of(execution))).isEmpty();
    fixture.queue.admin().cancel(List.of(execution.jobId()));
    Execution stale =
        new Execution(
            execution.jobId(), new ExecutionId(execution.id().value() + 1), execution.startedAt());
    try (Connection rival = fixture.database.connection()) {
      rival.setAutoCommit(false);
      rival
          .createStatement()
          .execute("SELECT id FROM " + fixture.database.schema() + ".jobs FOR UPDATE");

      assertThat(leases.cancelRequested(List.of(stale, execution))).containsExactly(execution.id());
      assertThat(leases.cancelRequested(List.of(stale))).isEmpty();
    }
    assertThat(leases.cancelRequested(List.of())).isEmpty();
  }

  /**
   * With a stricter isolation level as the pool's default, concurrent heartbeats would make each
   * other fail.
   */
  @Test
  void heartbeatsAreReadCommittedWithAnyDefaultOfTheConnection(QueueDatabase database) {
    try (HikariDataSource strict = new HikariDataSource()) {
      strict.setJdbcUrl(database.jdbcUrl());
      strict.setMaximumPoolSize(1);
      strict.setAutoCommit(false);
      strict.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
      try (LeaseKeeper keeper =
          JobQueue.builder(strict).schema(database.schema()).build().leases()) {
        for (int i = 0; i < 3; i++) {
          assertThat(keeper.heartbeat(List.of(execution), Duration.ofMinutes(1 + i)))
              .containsExactly(RENEWED);
          fixture.execute("UPDATE @jobs SET last_error = 'rival " + i + "'");
        }
      }
      assertThat(strict.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }
}
