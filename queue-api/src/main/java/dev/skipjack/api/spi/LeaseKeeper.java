package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;

/**
 * Extends leases on a connection that it keeps, so that handlers which have taken every connection
 * of a pool cannot cost their own jobs the leases.
 *
 * <p>The connection is borrowed by the first heartbeat and kept until a call fails or the keeper is
 * closed; between calls it holds no transaction. Safe for any number of threads, one heartbeat at a
 * time.
 */
public interface LeaseKeeper extends AutoCloseable {

  /**
   * As {@link JobStore#heartbeat}. After a failure the connection is given up, and the next call
   * borrows another.
   *
   * @throws StoreException if the database refused, was not reached, or its answer was lost
   * @throws IllegalStateException if the keeper was closed
   */
  List<Renewal> heartbeat(List<Execution> executions, Duration lease);

  /** Gives the connection back; waits for a heartbeat that is under way. */
  @Override
  void close();
}
