package dev.skipjack.api.spi;

import java.util.List;

/**
 * Periodic work of a module, which every worker does for all of them: it finishes what a process
 * left unfinished when it was killed, or what the end of a job could not do. Implementations are
 * thread-safe, and any number of them may run at the same time.
 */
@FunctionalInterface
public interface Sweeper {

  /**
   * Does a bounded part of the work. A worker calls this method about once a second, so it must
   * cost next to nothing if the module is not used.
   *
   * @return what was found
   */
  Swept sweep();

  /**
   * What a sweep found.
   *
   * @param madeDue wake-ups for jobs that are now due
   * @param unfinished whether there is more work now
   */
  record Swept(List<WakeUp> madeDue, boolean unfinished) {

    /** The result of a sweep that found nothing. */
    public static final Swept NOTHING = new Swept(List.of(), false);

    /**
     * Makes a defensive copy of the list.
     *
     * @param madeDue wake-ups for jobs that are now due
     * @param unfinished whether there is more work now
     */
    public Swept {
      madeDue = List.copyOf(madeDue);
    }
  }
}
