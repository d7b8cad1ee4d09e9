package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.store.jooq.DirectStart.DeferredStart;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A caller's transaction whose end the caller reports. Its wake-ups are deferred as with {@link
 * DeferredWakeUps}. In addition, one of its jobs may start directly: if a worker that was started
 * on the same queue object has a free slot, the job is inserted as running, and the worker receives
 * it after the commit without a claim.
 *
 * <pre>{@code
 * FollowedTransaction followed = queue.follow();
 * queue.in(connection, followed).enqueue(SEND_WELCOME, payload);
 * followed.beforeCommit(connection);
 * connection.commit();
 * followed.committed(connection);
 * }</pre>
 *
 * <p>One of {@link #committed}, {@link #rolledBack} and {@link #unknown} must be called. If none is
 * called although the transaction has committed, the job is rescued when its lease expires, and the
 * attempt counts. A job that has only one attempt therefore never starts directly. If the
 * transaction takes longer than a second or a quarter of the lease, the worker uses the slot for
 * other jobs, and {@link #beforeCommit} makes the job pending again.
 *
 * <p>After the end, one query confirms that the job exists, since a savepoint may have been rolled
 * back, that its queue is not paused, and that the worker has slots for jobs that come first now.
 * Not thread-safe. Use an instance for one transaction only. No method throws.
 */
public final class FollowedTransaction {

  private final DeferredWakeUps wakeUps;
  private @Nullable DeferredStart start;
  private boolean mayStart = true;

  FollowedTransaction(DeferredWakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  /**
   * {@return the wake-ups of the transaction} A job that is enqueued with them does not start
   * directly.
   */
  public DeferredWakeUps wakeUps() {
    return wakeUps;
  }

  /** Returns whether the next job may start directly. */
  boolean mayStart() {
    return mayStart;
  }

  /** Records that a slot was taken for a job. No other job of the transaction gets one. */
  void tried() {
    mayStart = false;
  }

  /** Adds the only start of the transaction. */
  void add(DeferredStart only) {
    start = only;
  }

  /** {@return whether the end of the transaction decides about the start of a job} */
  public boolean hasStart() {
    return start != null;
  }

  /**
   * Makes the job that was to start directly pending again if the worker no longer keeps its slot.
   * Call this method in the transaction, as late as possible. Without it, such a job is released
   * after the commit.
   *
   * @param transaction the connection of the transaction
   */
  public void beforeCommit(Connection transaction) {
    mayStart = false;
    DeferredStart late = start;
    if (late != null && !late.isKept()) {
      start = null;
      wake(late, late.giveUp(transaction));
    }
  }

  /**
   * Starts the job, if there is one, and sends the wake-ups. Call this method after the commit.
   * Further calls send the wake-ups of jobs that were enqueued since the last one.
   *
   * @param connection the connection of the transaction, or another one to the database. If a
   *     transaction is open on it, the job is not started but becomes pending in that transaction
   */
  public void committed(Connection connection) {
    boolean unused = end(connection);
    wakeUps.send(connection);
  }

  /**
   * Frees the slot. Call this method after the transaction was rolled back. If it was not, which
   * the connection or a query shows, the job is handled as after {@link #committed}.
   *
   * @param connection the connection of the transaction
   */
  public void rolledBack(Connection connection) {
    if (end(connection)) {
      wakeUps.send(connection);
    }
  }

  /**
   * Frees the slot. Call this method if it is unknown whether the transaction was committed. If it
   * was, the worker finds and releases the job.
   */
  public void unknown() {
    DeferredStart unknown = take();
    if (unknown != null) {
      unknown.unknown();
    }
  }

  /** Returns whether the job is pending again. */
  private boolean end(Connection connection) {
    DeferredStart ended = take();
    if (ended == null) {
      return false;
    }
    boolean isPending = ended.ended(connection);
    wake(ended, isPending);
    return isPending;
  }

  private @Nullable DeferredStart take() {
    mayStart = false;
    DeferredStart taken = start;
    start = null;
    return taken;
  }

  private void wake(DeferredStart ended, boolean isPending) {
    if (isPending) {
      wakeUps.add(List.of(ended.enqueued()), List.of(new EnqueueResult.Enqueued(ended.jobId())));
    }
  }
}
