package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.sql.StatementDialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests batches that stop between their snapshot and their first lock, while another session ends
 * one of their attempts. PostgreSQL then evaluates that row again, and the batch skips it and
 * closes the audit rows of the others. PostgreSQL 18.0 to 18.6 crashes then if the update of the
 * audit prunes partitions at run time.
 *
 * <p>The test has a separate server, because a crash ends all sessions of the server.
 */
class ReevaluatedBatchTest {

  private static final String DATABASE = "reevaluated";
  private static final long LOCK = 4711;

  /** The number of jobs. With only a few, the crash is rare. */
  private static final int JOBS = 100;

  /** The ways to end many attempts at once. Each returns the number of ended attempts. */
  enum Ending {
    COMPLETE {
      @Override
      long end(DSLContext dialect, Connection connection, List<Execution> batch)
          throws SQLException {
        return done(
            CompleteStatement.of(dialect, EndParts.NONE).ending(batch).run(connection, batch),
            verdict -> verdict);
      }
    },
    END_WITH_DATA {
      @Override
      long end(DSLContext dialect, Connection connection, List<Execution> batch)
          throws SQLException {
        List<FinalOutcome> outcomes =
            batch.stream().map(one -> FinalOutcome.cancelled(one, "no need")).toList();
        return done(
            EndWithDataStatement.of(dialect, EndParts.NONE)
                .ending(outcomes)
                .run(connection, outcomes),
            verdict -> verdict);
      }
    },
    FAIL {
      @Override
      long end(DSLContext dialect, Connection connection, List<Execution> batch)
          throws SQLException {
        List<Failure> failures =
            batch.stream()
                .map(one -> new Failure(one, JobError.of("no"), Duration.ZERO, false))
                .toList();
        return done(
            FailStatement.of(dialect, EndParts.NONE).ending(failures).run(connection, failures),
            Ended::verdict);
      }
    },
    REQUEUE {
      @Override
      long end(DSLContext dialect, Connection connection, List<Execution> batch)
          throws SQLException {
        List<Requeue> releases = batch.stream().map(Ending::released).toList();
        return done(
            RequeueStatement.of(dialect, EndParts.NONE).ending(releases).run(connection, releases),
            Ended::verdict);
      }
    },
    RESCUE {
      @Override
      long end(DSLContext dialect, Connection connection, List<Execution> batch)
          throws SQLException {
        return RescueStatement.of(dialect)
            .run(connection, new RescueStatement.Request(0, Duration.ZERO, batch.size()))
            .size();
      }
    };

    abstract long end(DSLContext dialect, Connection connection, List<Execution> batch)
        throws SQLException;

    static Requeue released(Execution attempt) {
      return new Requeue(attempt, ExecutionStatus.RELEASED, Duration.ZERO);
    }

    private static <R> long done(List<R> results, Function<R, Verdict> verdict) {
      return results.stream().filter(result -> verdict.apply(result) == Verdict.DONE).count();
    }
  }

  private static EmbeddedPostgres postgres;

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private HikariDataSource pool;
  private Connection keeper;

  @BeforeAll
  static void startServer() {
    postgres =
        EmbeddedPostgres.builder()
            .purpose("reevaluated")
            .setting("fsync", "off")
            .setting("full_page_writes", "off")
            .start();
  }

  @AfterAll
  static void stopServer() {
    postgres.close();
  }

  @BeforeEach
  void setUp() throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("postgres"))) {
      execute(connection, "DROP DATABASE IF EXISTS " + DATABASE + " WITH (FORCE)");
      execute(connection, "CREATE DATABASE " + DATABASE);
    }
    pool = new HikariDataSource();
    pool.setJdbcUrl(postgres.jdbcUrl(DATABASE));
    pool.setMaximumPoolSize(2);
    Migrations.migrate(pool, Migrations.DEFAULT_SCHEMA);
    keeper = DriverManager.getConnection(postgres.jdbcUrl(DATABASE));
    execute(keeper, "SET search_path = " + Migrations.DEFAULT_SCHEMA);
    // Policies, with which the gate stops statements, do not apply to superusers.
    execute(
        keeper,
        """
        CREATE FUNCTION pass_gate() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_lock_shared(%1$d);
          RETURN pg_advisory_unlock_shared(%1$d);
        END $$;
        ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
        CREATE POLICY gate ON jobs USING (%2$s.pass_gate());
        GRANT SELECT ON ALL TABLES IN SCHEMA %2$s TO pg_write_all_data\
        """
            .formatted(LOCK, Migrations.DEFAULT_SCHEMA));
  }

  @AfterEach
  void tearDown() throws SQLException {
    thread.shutdownNow();
    keeper.close();
    pool.close();
  }

  @ParameterizedTest
  @EnumSource
  void aBatchThatLosesAJobBetweenSnapshotAndLockEndsTheOthers(Ending ending) throws Exception {
    JobQueue queue = JobQueue.builder(pool).build();
    List<Execution> batch = claimAll(queue);

    long ended =
        endBehindGate(
            ending, batch, () -> queue.store().requeue(List.of(Ending.released(batch.get(0)))));

    assertThat(ended).isEqualTo(JOBS - 1);
    assertThat(value("SELECT count(*) FROM job_executions WHERE finished_at IS NOT NULL"))
        .isEqualTo(JOBS);
  }

  /**
   * The rescue's snapshot does not contain the new attempt's audit row, so the rescue could not
   * close it.
   */
  @Test
  void attemptThatBeganAfterTheSnapshotOfARescueIsLeftToTheNextRescue() throws Exception {
    JobQueue queue = JobQueue.builder(pool).build();
    List<Execution> batch = claimAll(queue);

    long ended =
        endBehindGate(
            Ending.RESCUE,
            batch,
            () -> {
              queue.store().requeue(List.of(Ending.released(batch.get(0))));
              assertThat(claim(queue)).hasSize(1);
            });

    assertThat(ended).isEqualTo(JOBS - 1);
    assertThat(queue.store().rescue(Duration.ZERO, JOBS)).hasSize(1);
    assertThat(value("SELECT count(*) FROM job_executions WHERE finished_at IS NULL")).isZero();
  }

  private List<Execution> claimAll(JobQueue queue) throws SQLException {
    queue.enqueueAll(
        Fixture.WORK, IntStream.rangeClosed(1, JOBS).mapToObj(Fixture.Work::new).toList());
    List<Execution> batch = claim(queue);
    // Without statistics, the plans of some statements read every partition.
    execute(keeper, "ANALYZE job_executions");
    return batch;
  }

  /** Claims jobs with leases that expire immediately. */
  private static List<Execution> claim(JobQueue queue) {
    return queue
        .store()
        .claim(Fixture.request(JOBS, Fixture.EXPIRED, new Lane("default", 0)))
        .stream()
        .map(ClaimedJob::execution)
        .toList();
  }

  /**
   * Returns how many attempts were ended by a statement that took its snapshot before {@code rival}
   * ran.
   */
  private long endBehindGate(Ending ending, List<Execution> batch, Runnable rival)
      throws Exception {
    try (Connection late = DriverManager.getConnection(postgres.jdbcUrl(DATABASE))) {
      execute(late, "SET ROLE pg_write_all_data");
      execute(keeper, "SELECT pg_advisory_lock(" + LOCK + ")");
      DSLContext dialect = StatementDialect.forSchema(Migrations.DEFAULT_SCHEMA);
      Future<Long> ended = thread.submit(() -> ending.end(dialect, late, batch));
      Rival.soon().until(() -> ended.isDone() || somebodyWaits());
      assertThat(ended.isDone()).as("passed the gate").isFalse();
      rival.run();
      execute(keeper, "SELECT pg_advisory_unlock(" + LOCK + ")");
      return ended.get();
    }
  }

  private boolean somebodyWaits() throws SQLException {
    return value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") > 0;
  }

  private long value(String sql) throws SQLException {
    try (Statement statement = keeper.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
