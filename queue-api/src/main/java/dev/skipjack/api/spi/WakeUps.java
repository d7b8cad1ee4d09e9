package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;

/**
 * Notifies workers of new jobs before their next poll. Wake-ups only reduce latency, since polling
 * alone finds every job. Implementations are thread-safe.
 */
public interface WakeUps {

  /**
   * Starts listening on a connection, which is held until the subscription is closed.
   *
   * @return the subscription
   * @throws StoreException if the database cannot be reached, or if a test notification does not
   *     arrive. Listening does not work through a pooler that may run each transaction in a
   *     different session
   */
  Subscription subscribe();

  /**
   * Receives all wake-ups that are sent after its creation. A subscription must be used by a single
   * thread, but may be closed by any thread.
   */
  interface Subscription extends AutoCloseable {

    /**
     * Waits for wake-ups. This method usually sends nothing to the server, but occasionally checks
     * that the server still responds.
     *
     * @param timeout the maximum time to wait; positive
     * @return the wake-ups that were received; empty if the timeout elapsed
     * @throws StoreException if the connection is broken. Subscribe again, and poll for jobs that
     *     arrived in the meantime
     */
    List<WakeUp> await(Duration timeout);

    /**
     * Makes the next {@link #await} check that the server responds and accepts writes, and fail
     * otherwise. Call this method after such a check has failed on another connection. It may be
     * called from any thread.
     */
    void recheck();

    /**
     * Closes the subscription and releases its connection once an {@link #await} in progress has
     * ended.
     */
    @Override
    void close();
  }
}
