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
 * Looks at the running jobs now and then, and notes how long each lease was seen to last. Without
 * that a rescue which knows nothing of renewals looks like one that a fault explains.
 */
final class LeaseWatch {

  /** Of looks; so many in a lease that hardly a renewal is missed. */
  private static final int LOOKS = 12;

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
   * Watches until it is stopped, or the JVM ends.
   *
   * @param dataSource that no network fault hits; the watch waits for an unavailable server
   * @param lease that claims are given: only longer ones are noted
   */
  static LeaseWatch start(
      DataSource dataSource, String schema, HistoryFile history, Duration lease) {
    LeaseWatch watch = new LeaseWatch(dataSource, schema, history, lease);
    watch.thread.setDaemon(true);
    watch.thread.start();
    return watch;
  }

  /** Writes nothing any more once it returns. */
  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(lease / 1_000 / LOOKS);
        try (Connection connection = dataSource.getConnection();
            PreparedStatement running = connection.prepareStatement(sql)) {
          running.setLong(1, lease + lease / LOOKS);
          while (true) {
            look(running);
            Thread.sleep(lease / 1_000 / LOOKS);
          }
        } catch (SQLException away) {
          Thread.onSpinWait(); // the next connection may find it
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void look(PreparedStatement running) throws SQLException {
    try (ResultSet row = running.executeQuery()) {
      while (row.next()) {
        long execution = row.getLong(2);
        long micros = row.getLong(3);
        if (micros > seen.getOrDefault(execution, 0L)) {
          seen.put(execution, micros);
          history.write(
              EventType.LEASED, Event.NONE, row.getLong(1), execution, String.valueOf(micros));
        }
      }
    }
  }
}
