package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.NewJob;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wake-ups for the jobs of one caller's transaction, which are sent after its commit instead of
 * with it.
 *
 * <pre>{@code
 * DeferredWakeUps wakeUps = queue.deferWakeUps();
 * queue.in(connection, wakeUps).enqueue(SEND_WELCOME, payload);
 * connection.commit();
 * wakeUps.send(connection);
 * }</pre>
 *
 * <p>A wake-up that is sent with the commit holds a lock on the whole server until the commit is on
 * disk. The other transactions that send wake-ups wait for this lock. A wake-up is therefore
 * skipped if a concurrent transaction sends one for the same queue. A deferred wake-up is not
 * skipped for this reason and holds the lock only briefly, but costs a round trip. For jobs without
 * an ordering key, a queue object sends at most one per queue in 5 ms.
 *
 * <p>If the transaction is rolled back, or its process ends before {@link #send}, no wake-up is
 * sent. Polling then finds jobs that were committed. Not thread-safe. Use an instance for one
 * transaction only.
 */
public final class DeferredWakeUps {

  private final WakeUpSender.@Nullable DueJobs due;

  /**
   * @param due collects the wake-ups, or null to send none
   */
  DeferredWakeUps(WakeUpSender.@Nullable DueJobs due) {
    this.due = due;
  }

  void add(List<NewJob> jobs, List<EnqueueResult> results) {
    if (due != null) {
      due.add(jobs, results);
    }
  }

  /**
   * Sends the wake-ups, if any are needed. Call this method after the commit. Never throws: if a
   * wake-up is lost, polling still finds the jobs. Further calls send the wake-ups of jobs that
   * were enqueued since the last one.
   *
   * @param connection any connection to the database, for example that of the transaction. Its
   *     auto-commit mode is restored. If another transaction is open on it, the wake-ups are sent
   *     when that one commits
   */
  public void send(Connection connection) {
    if (due != null) {
      due.send(connection);
    }
  }
}
