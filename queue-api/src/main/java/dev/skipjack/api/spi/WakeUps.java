package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;

/**
 * Tells workers of new jobs sooner than their next poll would. Polling alone finds every job; this
 * only makes it quick. Safe for any number of threads.
 */
public interface WakeUps {

  /**
   * Begins to listen, on a connection that is held until the subscription is closed.
   *
   * @throws StoreException if the database was not reached, or if what was sent to it for a probe
   *     did not come back: behind a pooler that hands each transaction to another session, nobody
   *     can listen
   */
  Subscription subscribe();

  /**
   * Hears what is sent from the moment it was made. Belongs to one thread, but any may close it.
   */
  interface Subscription extends AutoCloseable {

    /**
     * Waits for wake-ups. Asks the server nothing as a rule, and now and then whether it is still
     * there.
     *
     * @param timeout how long to wait at most; positive
     * @return what came in; empty when the time was over
     * @throws StoreException if the connection is broken: subscribe anew, and look for jobs that
     *     came meanwhile
     */
    List<WakeUp> await(Duration timeout);

    /**
     * Lets the next {@link #await} ask the server whether it is there and can be written to, and
     * fail if not: another connection has met a server that cannot. Any thread may call it.
     */
    void recheck();

    /** Gives the connection back, once an {@link #await} that is going on is over. */
    @Override
    void close();
  }
}
