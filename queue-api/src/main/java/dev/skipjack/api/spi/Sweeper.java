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
   * Does a bounded part of the work.
   *
   * @return what was found
   */
  Swept sweep();

  /**
   * What a sweep found.
   *
   * @param madeDue wake-ups for jobs that are now due
   * @param inUse whether the module is used, so that the next sweep should run within about a second
   * @param unfinished whether there is more work now
   */
  record Swept(List<WakeUp> madeDue, boolean inUse, boolean unfinished) {}
}
