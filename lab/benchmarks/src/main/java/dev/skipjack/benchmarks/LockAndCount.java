package dev.skipjack.benchmarks;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.Execution;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The way in which the queue limits how many jobs run at the same time, for bare JDBC: a claim
 * locks the row of the limit without waiting, counts the running jobs in a second statement, and
 * claims as many jobs as the limit still allows.
 */
final class LockAndCount {

  private static final String LOCK =
      BenchmarkDatabase.qualified(
          BenchmarkDatabase.SCHEMA,
          "SELECT max_running FROM @job_limits WHERE name = ? FOR NO KEY UPDATE SKIP LOCKED");

  private static final String CLAIM =
      BenchmarkDatabase.qualified(
          BenchmarkDatabase.SCHEMA,
          """
          WITH claimed AS (
            UPDATE @jobs
               SET status = 'running', current_execution_id = nextval('@job_execution_id_seq'), locked_by = ?, started_at = clock_timestamp(),
                   lease_expires_at = clock_timestamp() + ? * interval '1 microsecond', attempts = attempts + 1, updated_at = clock_timestamp(),
                   limit_name = ?
             WHERE id = ANY (ARRAY(SELECT id FROM @jobs
                                    WHERE status = 'pending' AND queue = ? AND priority = 0 AND scheduled_at <= now()
                                    ORDER BY scheduled_at, id
                                    LIMIT greatest(0, least(?, ? - (SELECT count(*) FROM @jobs WHERE status = 'running' AND limit_name = ?)))
                                    FOR NO KEY UPDATE SKIP LOCKED))
            RETURNING id, current_execution_id, queue, kind, payload, started_at, locked_by, attempts),
          opened AS (
            INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind, worker_id)
            SELECT current_execution_id, id, started_at, attempts, queue, kind, locked_by FROM claimed)
          SELECT * FROM claimed
          """);

  private LockAndCount() {}

  /**
   * Claims up to {@code room} jobs in the transaction of the connection, which keeps the limit
   * locked until it ends. Returns none if another transaction has locked it.
   */
  static List<Execution> claim(
      Connection transaction, WorkerId worker, String limit, String queue, int room, Duration lease)
      throws SQLException {
    int most;
    try (PreparedStatement lock = transaction.prepareStatement(LOCK)) {
      lock.setString(1, limit);
      try (ResultSet row = lock.executeQuery()) {
        if (!row.next()) {
          return List.of();
        }
        most = row.getInt(1);
      }
    }
    try (PreparedStatement claim = transaction.prepareStatement(CLAIM)) {
      claim.setString(1, worker.toString());
      claim.setLong(2, lease.toNanos() / 1_000);
      claim.setString(3, limit);
      claim.setString(4, queue);
      claim.setInt(5, room);
      claim.setInt(6, most);
      claim.setString(7, limit);
      return BareClaims.read(claim);
    }
  }
}
