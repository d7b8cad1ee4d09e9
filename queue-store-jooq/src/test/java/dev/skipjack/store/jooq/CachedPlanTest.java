package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/**
 * Tests that plans cached on an empty queue do not scan 200,000 rows that arrive later. One
 * connection runs every frequent statement often enough for the driver and the server to cache it,
 * before and after. The server's counters show whether a table was scanned.
 */
@QueueTest
class CachedPlanTest {

  /**
   * The driver prepares a statement after 5 runs, and the server chooses a generic plan after 5
   * more.
   */
  private static final int UNTIL_CACHED = 12;

  @Test
  void noStatementReadsATableFromEndToEndAfterABurst(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    try (HikariDataSource one = database.newDataSource(1)) {
      JobQueue queue =
          JobQueue.builder(one).schema(database.schema()).sameForAllThreads(true).build();
      for (int i = 0; i < UNTIL_CACHED; i++) {
        EveryStatement.ofAJobsLife(queue, one);
      }
      fixture.execute(
          "INSERT INTO @jobs (kind, payload) SELECT 'work', '{}' FROM generate_series(1, 200000)");
      fixture.execute(
          "INSERT INTO @job_keys SELECT 'key-' || n, n, now() + interval '1 day' FROM generate_series(1, 100000) n");
      fixture.execute(
          "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind)"
              + " SELECT -n, -n, now(), 1, 'default', 'work' FROM generate_series(1, 100000) n");
      flushStatistics(one);
      long before = sequentialScans(fixture);

      for (int i = 0; i < 3; i++) {
        EveryStatement.ofAJobsLife(queue, one);
      }

      flushStatistics(one);
      assertThat(sequentialScans(fixture)).isEqualTo(before);
    }
  }

  private static long sequentialScans(Fixture fixture) {
    return Long.parseLong(
        fixture.value(
            "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE schemaname = '"
                + fixture.database.schema()
                + "' AND (relname = 'jobs' OR relname = 'job_keys' OR relname LIKE 'job_executions%' OR relname LIKE 'jobs_archive%')"));
  }

  /** Makes the session report its counters, which it otherwise does at most once a second. */
  private static void flushStatistics(HikariDataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_stat_force_next_flush()");
      statement.execute("SELECT 1");
    }
  }
}
