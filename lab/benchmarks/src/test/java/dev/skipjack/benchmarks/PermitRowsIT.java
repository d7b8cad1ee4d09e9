package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the two ways to hold a limit that {@code bench limits} compares. */
class PermitRowsIT {

  private static final WorkerId WORKER = WorkerId.boot("test");
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final String QUEUE = Noop.TYPE.queue();

  /** Waits after the snapshot and before the first lock, while the test holds an advisory lock. */
  private static final String GATE = " WHERE (SELECT pg_advisory_xact_lock_shared(7) IS NOT NULL)";

  private QueueDatabase server;
  private BenchmarkDatabase database;

  @BeforeEach
  void open() throws Exception {
    server = QueueDatabase.create();
    database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2);
    database.preload(10, "'" + QUEUE + "'", Noop.TYPE.kind(), "0");
    PermitRows.create(database, 2);
  }

  @AfterEach
  void close() {
    database.close();
    server.close();
  }

  @Test
  void aClaimTakesAsManyJobsAsThereArePermits() throws Exception {
    try (Connection session = session()) {
      List<Execution> claimed = claim(session, PermitRows.COMPARISON);
      assertThat(claimed).hasSize(2);
      session.commit();
      assertThat(claim(session, PermitRows.COMPARISON)).isEmpty();
      session.commit();

      database.queue(1).store().complete(claimed.subList(0, 1));

      assertThat(claim(session, PermitRows.COMPARISON)).hasSize(1);
      session.commit();
    }
  }

  @Test
  void aPermitThatWasTakenSinceTheSnapshotIsNotTakenAgain() throws Exception {
    assertThat(runningAfterARace(GATE + PermitRows.COMPARISON.replace(" WHERE ", " AND ")))
        .isEqualTo(2);
  }

  /** Shows that the comparison is needed. */
  @Test
  void withoutTheComparisonATakenPermitIsTakenAgain() throws Exception {
    assertThat(runningAfterARace(GATE)).isEqualTo(4);
  }

  /**
   * Claims in a session whose statement stops between its snapshot and its locks, while another
   * session claims and commits. Returns the number of running jobs.
   */
  private long runningAfterARace(String condition) throws Exception {
    try (Connection keeper = session();
        Connection slow = session();
        Connection quick = session()) {
      execute(keeper, "SELECT pg_advisory_xact_lock(7)");
      CompletableFuture<Void> race =
          CompletableFuture.runAsync(
              () -> {
                try {
                  claim(slow, condition);
                  slow.commit();
                } catch (SQLException failure) {
                  throw new IllegalStateException(failure);
                }
              });
      Awaitility.await()
          .until(() -> database.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
      assertThat(claim(quick, PermitRows.COMPARISON)).hasSize(2);
      quick.commit();
      keeper.commit();
      race.get(30, TimeUnit.SECONDS);
    }
    return database.number("SELECT count(*) FROM @jobs WHERE status = 'running'");
  }

  @Test
  void lockAndCountClaimsNothingWhileAnotherClaimHasLockedTheLimit() throws Exception {
    database.inSchema(
        "INSERT INTO @job_limits (name, max_running) VALUES ('" + Limits.LIMIT + "', 3)");
    try (Connection one = session();
        Connection other = session()) {
      assertThat(LockAndCount.claim(one, WORKER, Limits.LIMIT, QUEUE, 2, LEASE)).hasSize(2);
      assertThat(LockAndCount.claim(other, WORKER, Limits.LIMIT, QUEUE, 2, LEASE)).isEmpty();
      one.commit();
      assertThat(LockAndCount.claim(other, WORKER, Limits.LIMIT, QUEUE, 2, LEASE)).hasSize(1);
      other.commit();
    }
  }

  private static List<Execution> claim(Connection session, String condition) throws SQLException {
    return PermitRows.claim(session, WORKER, QUEUE, 5, LEASE, condition);
  }

  private Connection session() throws SQLException {
    Connection session = database.bareConnection();
    session.setAutoCommit(false);
    return session;
  }

  private static void execute(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }
}
