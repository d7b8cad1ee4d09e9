package dev.skipjack.spring.test;

/** Determines when jobs run in a test. */
public enum JobMode {
  /**
   * Nothing runs by itself: no worker is started, and no schedule fires. The test runs jobs with
   * {@link dev.skipjack.testkit.JobRuns}.
   */
  MANUAL,

  /**
   * An enqueue runs the job and all other due jobs. Without a transaction, the enqueue returns when
   * these jobs have run. If another thread is running jobs at that time, that thread also runs
   * these jobs, and the enqueue returns immediately. In a transaction, the jobs run after the
   * commit, before the method that commits returns. In the transaction of the test itself, the jobs
   * run in that transaction, before the enqueue returns. If an attempt fails, the test gets a
   * {@link JobFailedException}.
   */
  INLINE,

  /** The application's worker runs jobs and schedules in its own threads, as in production. */
  ASYNC
}
