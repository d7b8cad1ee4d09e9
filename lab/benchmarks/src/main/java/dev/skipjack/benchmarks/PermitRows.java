package dev.skipjack.benchmarks;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.Execution;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Another way to limit how many jobs run at the same time, for comparison: a row for each permit.
 * The claim takes rows that are free, in a single statement, and writes its executions into them. A
 * permit is free if the execution in it does not run any more, so a process that dies leaves
 * nothing behind.
 *
 * <p>The claim locks a row and then compares its execution with the one in its snapshot, in which
 * that execution did not run. Without this comparison, a permit that was taken and committed since
 * the snapshot would be taken again.
 */
final class PermitRows {

  static final String COMPARISON =
      " WHERE permit.execution_id IS NOT DISTINCT FROM free.execution_id";

  private static final String CLAIM =
      """
      WITH permits AS MATERIALIZED (
        SELECT permit.number
          FROM (SELECT number, execution_id FROM @permits AS each
                 WHERE NOT EXISTS (SELECT FROM @jobs WHERE status = 'running' AND current_execution_id = each.execution_id)
               ) AS free
          JOIN @permits AS permit ON permit.number = free.number
        {comparison}
         LIMIT ?
           FOR NO KEY UPDATE OF permit SKIP LOCKED),
      claimed AS (
        UPDATE @jobs
           SET status = 'running', current_execution_id = nextval('@job_execution_id_seq'), locked_by = ?, started_at = clock_timestamp(),
               lease_expires_at = clock_timestamp() + ? * interval '1 microsecond', attempts = attempts + 1, updated_at = clock_timestamp()
         WHERE id = ANY (ARRAY(SELECT id FROM @jobs
                                WHERE status = 'pending' AND queue = ? AND priority = 0 AND scheduled_at <= now()
                                ORDER BY scheduled_at, id LIMIT (SELECT count(*) FROM permits) FOR NO KEY UPDATE SKIP LOCKED))
        RETURNING id, current_execution_id, queue, kind, payload, started_at, locked_by, attempts),
      opened AS (
        INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind, worker_id)
        SELECT current_execution_id, id, started_at, attempts, queue, kind, locked_by FROM claimed),
      taken AS (
        UPDATE @permits AS permit
           SET execution_id = pair.execution_id
          FROM (SELECT number, execution_id
                  FROM (SELECT number, row_number() OVER () AS n FROM permits) AS one
                  JOIN (SELECT current_execution_id AS execution_id, row_number() OVER () AS n FROM claimed) AS other USING (n)) AS pair
         WHERE permit.number = pair.number)
      SELECT * FROM claimed
      """;

  private PermitRows() {}

  /** Creates the permits in the measured schema, after dropping existing ones. */
  static void create(BenchmarkDatabase database, int permits) throws SQLException {
    drop(database);
    database.inSchema(
        "CREATE TABLE @permits (number integer PRIMARY KEY, execution_id bigint)"
            + " WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0)",
        "INSERT INTO @permits SELECT generate_series(1, " + permits + ")");
  }

  static void drop(BenchmarkDatabase database) throws SQLException {
    database.inSchema("DROP TABLE IF EXISTS @permits");
  }

  /**
   * Claims up to {@code room} jobs in the transaction of the connection.
   *
   * @param comparison {@link #COMPARISON}, or an empty string to leave it out
   */
  static List<Execution> claim(
      Connection transaction,
      WorkerId worker,
      String queue,
      int room,
      Duration lease,
      String comparison)
      throws SQLException {
    String sql =
        BenchmarkDatabase.qualified(
            BenchmarkDatabase.SCHEMA, CLAIM.replace("{comparison}", comparison.strip()));
    try (PreparedStatement claim = transaction.prepareStatement(sql)) {
      claim.setInt(1, room);
      claim.setString(2, worker.toString());
      claim.setLong(3, lease.toNanos() / 1_000);
      claim.setString(4, queue);
      return BareClaims.read(claim);
    }
  }
}
