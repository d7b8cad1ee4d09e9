package dev.skipjack.api;

/** Runs jobs in the calling thread, for tests and scripts. */
public interface JobRunner {

  /**
   * Runs jobs until no job is due, including jobs that become due in the meantime.
   *
   * @return the number of attempts that were run
   */
  int runUntilIdle();

  /**
   * Runs the next due job, if there is one.
   *
   * @return whether a job was run
   */
  boolean runNext();
}
