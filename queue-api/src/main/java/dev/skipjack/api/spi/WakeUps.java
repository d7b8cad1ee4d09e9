package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;

/**
 * Announces new jobs to workers before their next poll. Polling alone finds every job; wake-ups
 * only make it faster. Safe for any number of threads.
 */
public interface WakeUps {

  /**
   * Starts to listen, on a connection that is held until the subscription is closed.
   *
   * @throws StoreException if the database could not be reached, or if a test notification did not
   *     arrive: listening does not work behind a pooler that may run each transaction in another
   *     session
   */
  Subscription subscribe();

  /**
   * Receives all wake-ups sent after its creation. Use it from one thread; any thread may close it.
   */
  interface Subscription extends AutoCloseable {

    /**
     * Waits for wake-ups. Usually sends nothing to the server, and occasionally checks that it
     * still responds.
     *
     * @param timeout maximum time to wait; positive
     * @return the received wake-ups; empty after the timeout
     * @throws StoreException if the connection is broken: subscribe again, and poll for jobs that
     *     arrived meanwhile
     */
    List<WakeUp> await(Duration timeout);

    /**
     * Makes the next {@link #await} check that the server responds and accepts writes, and fail
     * otherwise. Call it after such a check has failed on another connection. Any thread may call
     * it.
     */
    void recheck();

    /** Returns the connection, once a running {@link #await} has ended. */
    @Override
    void close();
  }
}
