package dev.skipjack.testkit;

import dev.skipjack.api.JobRunner;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Runs the jobs of a test's database in the calling thread, without waiting for their due times.
 *
 * <pre>{@code
 * JobRuns runs = JobRuns.with(worker, database);
 * runs.dueWithin(Duration.ofDays(1)); // as if a day had passed
 * runs.toTheEnd(); // retries included
 * }</pre>
 *
 * <p>A handler that does not end blocks the calling thread: give its job type or the test a
 * timeout.
 *
 * <p>May be used only by the thread that created it.
 */
public final class JobRuns {

  private static final int MOST_ROUNDS = 1_000;

  private final JobRunner runner;
  private final QueueDatabase database;

  private JobRuns(JobRunner runner, QueueDatabase database) {
    this.runner = runner;
    this.database = database;
  }

  /**
   * Runs jobs with {@code runner}, which was built on a queue in {@code database}.
   *
   * @param runner usually a worker that was not started
   */
  public static JobRuns with(JobRunner runner, QueueDatabase database) {
    return new JobRuns(runner, database);
  }

  /**
   * Runs all due jobs, including those that become due meanwhile.
   *
   * @return the number of attempts run
   */
  public int due() {
    return runner.runUntilIdle();
  }

  /**
   * Runs the next due job.
   *
   * @return whether there was one
   */
  public boolean next() {
    return runner.runNext();
  }

  /**
   * {@linkplain QueueDatabase#timeTravel Travels in time} and runs all jobs that are due then. If
   * the first attempt of a job fails, its second attempt may not be due yet, because the backoff
   * starts at the end of the first.
   *
   * @return the number of attempts run
   */
  public int dueWithin(Duration time) {
    database.timeTravel(time);
    return due();
  }

  /**
   * Runs jobs until none that this runner serves is pending, traveling in time from one due time to
   * the next. Afterwards every such job, including retries and follow-up jobs, is completed, dead
   * or cancelled. Jobs of queues or kinds that the runner does not serve stay pending and are due.
   *
   * @return the number of attempts run
   * @throws AssertionError if jobs are still pending after 1,000 due times
   */
  public int toTheEnd() {
    int attempts = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Optional<Duration> wait = database.untilNextDue();
      wait.ifPresent(database::timeTravel);
      int ran = due();
      if (ran == 0 && wait.isEmpty()) {
        return attempts;
      }
      attempts += ran;
    }
    throw new AssertionError(
        String.format(
            Locale.ROOT,
            "After %,d due times and %,d attempts jobs are still pending. Does a handler snooze, or enqueue a job like its own, again and again?",
            MOST_ROUNDS,
            attempts));
  }
}
