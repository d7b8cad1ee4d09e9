package dev.skipjack.testkit;

import dev.skipjack.api.JobRunner;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Runs the jobs of a test's database in the calling thread, without waiting for their time.
 *
 * <pre>{@code
 * JobRuns runs = JobRuns.with(worker, database);
 * runs.dueWithin(Duration.ofDays(1)); // as if a day had passed
 * runs.toTheEnd(); // retries included
 * }</pre>
 *
 * <p>A handler that does not end holds the calling thread: a timeout of its job type interrupts it,
 * or JUnit's of the test.
 *
 * <p>For the thread that made it.
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
   * Runs by {@code runner}, which was built on a queue in {@code database}.
   *
   * @param runner a worker that was not started, as a rule
   */
  public static JobRuns with(JobRunner runner, QueueDatabase database) {
    return new JobRuns(runner, database);
  }

  /**
   * Runs what is due, and what becomes due meanwhile.
   *
   * @return how many attempts were run
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
   * {@linkplain QueueDatabase#timeTravel Travels in time} and runs what is due then. A job that
   * becomes due twice on the way, because its first attempt fails, has its second attempt later:
   * its wait begins with the end of the first.
   *
   * @return how many attempts were run
   */
  public int dueWithin(Duration time) {
    database.timeTravel(time);
    return due();
  }

  /**
   * Runs jobs until none is pending that this runner takes, traveling in time from one due time to
   * the next: every job is done, dead or cancelled then, its retries and follow-up jobs included.
   * What the runner does not take, because it serves neither its queue nor its kind, stays pending
   * and is due.
   *
   * @return how many attempts were run
   * @throws AssertionError if that has no end: after 1,000 due times, jobs are pending still
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
            "After %,d due times and %,d attempts jobs are pending still. Does a handler snooze, or enqueue a job like its own, again and again?",
            MOST_ROUNDS,
            attempts));
  }
}
