package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.util.Collection;
import java.util.List;

/**
 * Promotes jobs with an ordering key, that is, makes the first job of a key pending.
 *
 * <p>A job with a key is inserted as waiting. It is promoted when the preceding job ends or, if
 * there is none, right after the enqueue. The methods of this interface promote the other jobs,
 * which were enqueued in a caller's transaction, or were committed or locked while the preceding
 * job ended. Implementations are thread-safe, and any number of workers may call them.
 */
public interface OrderedJobs {

  /**
   * Promotes the first waiting job of each key, unless another job of the key is pending or running
   * or blocks the key. A job that another transaction has locked is left to a later {@link #sweep}.
   *
   * <p>Many keys are promoted in several transactions. If one fails after another has promoted a
   * due job, the remaining keys are left to a later {@link #sweep}.
   *
   * @param keys the ordering keys
   * @return a wake-up for each promoted job that is due
   * @throws StoreException if the database rejects a statement or cannot be reached, and there is
   *     no wake-up to return
   */
  List<WakeUp> promote(Collection<String> keys);

  /**
   * Searches for keys that have waiting jobs but no pending job, no running job and no dead job
   * that blocks the key, and promotes their first jobs. Each call searches a limited number of
   * keys. The next call continues where it stopped.
   *
   * @return what was found and promoted
   * @throws StoreException as for {@link #promote}
   */
  Sweep sweep();

  /**
   * The result of a sweep.
   *
   * @param promoted a wake-up for each promoted job that is due
   * @param waiting whether any job waits for its ordering key, so that the next sweep may find one
   *     to promote
   * @param unfinished whether more keys remain to be searched
   */
  record Sweep(List<WakeUp> promoted, boolean waiting, boolean unfinished) {

    /**
     * Makes a defensive copy of the list.
     *
     * @param promoted a wake-up for each promoted job that is due
     * @param waiting whether any job waits for its ordering key
     * @param unfinished whether more keys remain to be searched
     */
    public Sweep {
      promoted = List.copyOf(promoted);
    }
  }
}
