package dev.skipjack.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** How many sessions wait for a lock, looked at every hundredth of a second. */
final class LockWaits implements AutoCloseable {

  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

  private final AtomicLong looks = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();
  private final Thread thread;
  private volatile @Nullable SQLException failed;

  private LockWaits(BenchmarkDatabase database) {
    thread = new Thread(() -> look(database), "bench-lock-waits");
    thread.setDaemon(true);
    thread.start();
  }

  static LockWaits watch(BenchmarkDatabase database) {
    return new LockWaits(database);
  }

  private void look(BenchmarkDatabase database) {
    try (Connection connection = database.bareConnection();
        PreparedStatement query = connection.prepareStatement(WAITING)) {
      while (!Thread.currentThread().isInterrupted()) {
        try (ResultSet row = query.executeQuery()) {
          row.next();
          waiting.addAndGet(row.getLong(1));
          looks.incrementAndGet();
        }
        Thread.sleep(10);
      }
    } catch (SQLException failure) {
      failed = failure;
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sessions that waited at a look, on average. */
  double average() throws SQLException {
    SQLException failure = failed;
    if (failure != null) {
      throw failure;
    }
    return waiting.get() / (double) Math.max(1, looks.get());
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
