package dev.skipjack.spring.test;

/** When jobs run in a test. */
public enum JobMode {
  /**
   * Nothing runs by itself: no worker is started, and no schedule fires. The test runs jobs with
   * {@link dev.skipjack.testkit.JobRuns}.
   */
  MANUAL,

  /**
   * An enqueue runs the job and all other due jobs. An enqueue without a transaction returns when
   * they have run, or immediately if another thread is running jobs, which then runs these too. In
   * a transaction, they run after the commit, before the method that commits returns; in the
   * transaction of the test itself, they run in that transaction, before the enqueue returns. If an
   * attempt fails, the test gets a {@link JobFailedException}.
   */
  INLINE,

  /** The application's worker runs jobs and schedules in its own threads, as in production. */
  ASYNC
}
