package dev.skipjack.api;

/** Runs jobs in the calling thread, for tests and scripts. */
public interface JobRunner {

  /**
   * Runs jobs until none is due, those that become due meanwhile included.
   *
   * @return how many attempts were run
   */
  int runUntilIdle();

  /**
   * Runs the next due job.
   *
   * @return whether there was one
   */
  boolean runNext();
}
