package dev.skipjack.api;

/** Runs jobs in the calling thread, for tests and scripts. */
public interface JobRunner {

  /**
   * Runs jobs until none is due, including those that become due meanwhile.
   *
   * @return the number of attempts run
   */
  int runUntilIdle();

  /**
   * Runs the next due job.
   *
   * @return whether there was one
   */
  boolean runNext();
}
