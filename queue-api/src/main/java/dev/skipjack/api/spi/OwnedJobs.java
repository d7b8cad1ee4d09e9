package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.util.Collection;
import java.util.List;

/**
 * Acts when the last job of an owner has ended: finishes a batch, or resumes a job that waits for
 * others. Implementations are thread-safe, and any number of workers may call them.
 *
 * <p>A worker calls {@link #check} after it has committed the end of a job with an owner. If two
 * workers end the last two jobs at the same time, each of them checks after its own commit, so the
 * later check finds no live job. {@link #sweep} finds what no worker has checked, for example
 * because it was killed.
 */
public interface OwnedJobs {

  /**
   * Checks owners of which a job may have ended, and acts on those that have no live job. Never
   * waits for another transaction: an owner whose row is locked is left to the next sweep.
   *
   * @param owners the ids of the owners; unknown ids are ignored
   * @return what was done
   * @throws StoreException if the database rejects a statement or cannot be reached
   */
  Checked check(Collection<Long> owners);

  /**
   * Checks all owners that have not finished, a limited number in each call. The next call
   * continues where it stopped.
   *
   * @return what was done
   * @throws StoreException as for {@link #check}
   */
  Checked sweep();

  /**
   * The result of a check or a sweep.
   *
   * @param due a wake-up for each job that was created or resumed and is due
   * @param open whether any of the owners has live jobs, so that the next sweep may find one to act
   *     on
   * @param unfinished whether more is left to do at once
   */
  record Checked(List<WakeUp> due, boolean open, boolean unfinished) {

    /** The result if there was nothing to do. */
    public static final Checked NOTHING = new Checked(List.of(), false, false);

    /**
     * Makes a defensive copy of the list.
     *
     * @param due a wake-up for each job that is due
     * @param open whether any of the owners has live jobs
     * @param unfinished whether more is left to do at once
     */
    public Checked {
      due = List.copyOf(due);
    }
  }
}
