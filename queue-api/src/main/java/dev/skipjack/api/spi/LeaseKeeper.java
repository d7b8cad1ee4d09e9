package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Extends leases on a connection that it keeps, so that jobs do not lose their leases when handlers
 * have taken every connection of a pool.
 *
 * <p>The connection is kept from the first call until it breaks or the keeper is closed; between
 * calls it holds no transaction. Safe for any number of threads; statements run one after another.
 */
public interface LeaseKeeper extends AutoCloseable {

  /**
   * Like {@link JobStore#heartbeat}. After a failure that a smaller batch would not avoid, the
   * connection is returned, and the next call borrows another.
   *
   * @throws StoreException if the database refused the statement, could not be reached, or its
   *     response was lost
   * @throws IllegalStateException if the keeper was closed
   */
  List<Renewal> heartbeat(List<Execution> executions, Duration lease);

  /**
   * Like {@link JobStore#progress}, but on the keeper's connection, so that a progress report never
   * has to wait for a free connection and delay a heartbeat.
   */
  List<Verdict> progress(List<Progress> reports);

  /**
   * Returns the executions that still own their job and whose cancellation was requested. Uses the
   * same connection; locks and changes nothing. {@link #heartbeat} reports the same, but only as
   * often as leases are renewed.
   *
   * @throws StoreException like {@link #heartbeat}
   */
  Set<ExecutionId> cancelRequested(List<Execution> executions);

  /**
   * Makes the next {@link #reserve} check that the server responds and accepts writes, however
   * recently the connection was used. Call it after such a check has failed on another connection.
   * Any thread may call it.
   */
  void recheck();

  /**
   * Borrows the connection now, unless it has one, before handlers take all of them.
   *
   * @throws StoreException if no connection is available, or its server is read-only (25006)
   * @throws IllegalStateException if the keeper was closed
   */
  void reserve();

  /** Returns the connection. A running call is aborted if it does not end within half a second. */
  @Override
  void close();
}
