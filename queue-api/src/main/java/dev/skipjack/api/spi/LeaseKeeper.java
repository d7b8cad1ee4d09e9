package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;

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
   * Borrows the connection now, unless it has one: before handlers take what there is.
   *
   * @throws StoreException if there is none to be had
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
