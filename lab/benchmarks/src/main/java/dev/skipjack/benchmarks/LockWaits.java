package dev.skipjack.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts, every 10 ms, the sessions that are waiting for a lock. */
final class LockWaits implements AutoCloseable {

  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

  private final AtomicLong samples = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();
  private final Thread thread;
  private volatile @Nullable SQLException failed;

  private LockWaits(BenchmarkDatabase database) {
    thread = new Thread(() -> sample(database), "bench-lock-waits");
    thread.setDaemon(true);
    thread.start();
  }

  static LockWaits watch(BenchmarkDatabase database) {
    return new LockWaits(database);
  }

  private void sample(BenchmarkDatabase database) {
    try (Connection connection = database.bareConnection();
        PreparedStatement query = connection.prepareStatement(WAITING)) {
      while (!Thread.currentThread().isInterrupted()) {
        try (ResultSet row = query.executeQuery()) {
          row.next();
          waiting.addAndGet(row.getLong(1));
          samples.incrementAndGet();
        }
        Thread.sleep(10);
      }
    } catch (SQLException failure) {
      failed = failure;
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the mean number of waiting sessions over all samples. */
  double average() throws SQLException {
    SQLException failure = failed;
    if (failure != null) {
      throw failure;
    }
    return waiting.get() / (double) Math.max(1, samples.get());
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
