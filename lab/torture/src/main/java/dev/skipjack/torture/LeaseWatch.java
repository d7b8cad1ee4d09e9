package dev.skipjack.torture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Polls the running jobs and records extensions of their leases. Without this record, the checker
 * would attribute a rescue that ignored a renewal to a fault.
 */
final class LeaseWatch {

  /** The number of polls per lease, high enough to detect almost every renewal. */
  private static final int POLLS_PER_LEASE = 12;

  private static final String RUNNING =
      "SELECT id, current_execution_id, (extract(epoch FROM lease_expires_at - started_at) * 1e6)::bigint"
          + " FROM %s.jobs WHERE status = 'running' AND lease_expires_at > started_at + ? * interval '1 microsecond'";

  private final DataSource dataSource;
  private final String sql;
  private final HistoryFile history;
  private final long lease;
  private final Map<Long, Long> seen = new HashMap<>();
  private final Thread thread = new Thread(this::watch, "lease-watch");

  private LeaseWatch(DataSource dataSource, String schema, HistoryFile history, Duration lease) {
    this.dataSource = dataSource;
    this.sql = RUNNING.formatted(schema);
    this.history = history;
    this.lease = lease.toNanos() / 1_000;
  }

  /**
   * Starts watching. Watching continues until {@link #stop} is called or the JVM ends.
   *
   * @param dataSource supplies direct connections, which network faults do not affect; while the
   *     server is unavailable, nothing is recorded
   * @param lease the lease of a claim; only leases that were renewed are recorded
   */
  static LeaseWatch start(
      DataSource dataSource, String schema, HistoryFile history, Duration lease) {
    LeaseWatch watch = new LeaseWatch(dataSource, schema, history, lease);
    watch.thread.setDaemon(true);
    watch.thread.start();
    return watch;
  }

  /** Stops watching. Nothing is written after this method returns. */
  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(lease / 1_000 / POLLS_PER_LEASE);
        try (Connection connection = dataSource.getConnection();
            PreparedStatement running = connection.prepareStatement(sql)) {
          running.setLong(1, lease + lease / POLLS_PER_LEASE);
          while (true) {
            poll(running);
            Thread.sleep(lease / 1_000 / POLLS_PER_LEASE);
          }
        } catch (SQLException unavailable) {
          Thread.onSpinWait(); // try again with a new connection
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void poll(PreparedStatement running) throws SQLException {
    try (ResultSet row = running.executeQuery()) {
      while (row.next()) {
        long execution = row.getLong(2);
        long micros = row.getLong(3);
        if (micros > seen.getOrDefault(execution, 0L)) {
          seen.put(execution, micros);
          history.write(
              EventType.LEASE_EXTENDED,
              Event.NONE,
              row.getLong(1),
              execution,
              String.valueOf(micros));
        }
      }
    }
  }
}
