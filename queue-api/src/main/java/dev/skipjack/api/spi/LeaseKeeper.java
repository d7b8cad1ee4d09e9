package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Extends leases on a connection that it keeps, so that handlers which have taken every connection
 * of a pool cannot cost their own jobs the leases.
 *
 * <p>The connection is kept from the first call until it breaks or the keeper is closed; between
 * calls it holds no transaction. Safe for any number of threads, one heartbeat at a time.
 */
public interface LeaseKeeper extends AutoCloseable {

  /**
   * As {@link JobStore#heartbeat}. After a failure that a smaller batch would not mend the
   * connection is given up, and the next call borrows another.
   *
   * @throws StoreException if the database refused, was not reached, or its answer was lost
   * @throws IllegalStateException if the keeper was closed
   */
  List<Renewal> heartbeat(List<Execution> executions, Duration lease);

  /**
   * As {@link JobStore#progress}, on the same connection: where handlers have taken all others, a
   * report must not hold up a heartbeat.
   */
  List<Verdict> progress(List<Progress> reports);

  /**
   * Those of the given executions that own their job still and whose job an operator wants
   * cancelled. On the same connection; locks and changes nothing. {@link #heartbeat} reports the
   * same, but only as often as leases are renewed.
   *
   * @throws StoreException as {@link #heartbeat}
   */
  Set<ExecutionId> cancelRequested(List<Execution> executions);

  /**
   * Lets the next {@link #reserve} ask the server whether it is there and can be written to,
   * however lately the connection was used: another connection has met a server that cannot. Any
   * thread may call it.
   */
  void recheck();

  /**
   * Borrows the connection now, unless it has one: before handlers take what there is.
   *
   * @throws StoreException if there is none to be had, or its server is read-only (25006)
   * @throws IllegalStateException if the keeper was closed
   */
  void reserve();

  /**
   * Gives the connection back. A call that is under way has half a second to end, and is broken off
   * then.
   */
  @Override
  void close();
}
