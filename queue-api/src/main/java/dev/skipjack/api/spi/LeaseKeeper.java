package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Renews leases on a dedicated connection, so that jobs do not lose their leases when handlers are
 * using every connection of the pool.
 *
 * <p>The keeper holds the connection from its first call until the connection breaks or the keeper
 * is closed. No transaction is open between calls. Implementations are thread-safe and run one
 * statement at a time.
 */
public interface LeaseKeeper extends AutoCloseable {

  /**
   * Renews leases as {@link JobStore#heartbeat} does. After a failure, other than one that only
   * aborted the statement, the connection is returned to the pool, and the next call borrows
   * another one.
   *
   * @param executions the executions whose leases to renew
   * @param lease how long the lease stays valid without renewal
   * @return the result for each execution, in order
   * @throws StoreException if the database rejects the statement or cannot be reached, or its
   *     response is lost
   * @throws IllegalStateException if the keeper has been closed
   */
  List<Renewal> heartbeat(List<Execution> executions, Duration lease);

  /**
   * Records progress reports as {@link JobStore#progress} does, but on the keeper's connection, so
   * that they never wait for a free connection of the pool.
   *
   * @param reports the reports, at most one of each execution
   * @return the verdict for each execution, in order
   */
  List<Verdict> progress(List<Progress> reports);

  /**
   * {@return the executions that still own their jobs and for which cancellation was requested}
   * This method uses the keeper's connection, and neither locks nor changes rows. {@link
   * #heartbeat} returns the same information, but only as often as leases are renewed.
   *
   * @param executions the executions to check
   * @throws StoreException if the database rejects the statement or cannot be reached, or its
   *     response is lost
   */
  Set<ExecutionId> cancelRequested(List<Execution> executions);

  /**
   * Makes the next {@link #reserve} check that the server responds and accepts writes, even if the
   * connection was used recently. Call this method after such a check has failed on another
   * connection. It may be called from any thread.
   */
  void recheck();

  /**
   * Borrows the connection if the keeper does not have one. Call this method before handlers can
   * take all connections of the pool.
   *
   * @throws StoreException if no connection is available, or the server is read-only (25006)
   * @throws IllegalStateException if the keeper has been closed
   */
  void reserve();

  /**
   * Closes the keeper and returns its connection to the pool. A call that is in progress is aborted
   * if it does not end within half a second.
   */
  @Override
  void close();
}
