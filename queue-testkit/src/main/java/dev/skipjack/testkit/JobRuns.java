package dev.skipjack.testkit;

import dev.skipjack.api.JobRunner;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Runs the jobs of a test database in the calling thread, without waiting for their due times.
 *
 * <pre>{@code
 * JobRuns runs = JobRuns.with(worker, database);
 * runs.dueWithin(Duration.ofDays(1)); // as if a day had passed
 * runs.toTheEnd(); // retries included
 * }</pre>
 *
 * <p>A handler that does not return blocks the calling thread, so set a timeout for the job type or
 * the test.
 *
 * <p>An instance may be used by one thread at a time.
 */
public final class JobRuns {

  private static final int MOST_ROUNDS = 1_000;

  private final JobRunner runner;
  private final TestQueue queue;

  private JobRuns(JobRunner runner, TestQueue queue) {
    this.runner = runner;
    this.queue = queue;
  }

  /**
   * {@return an instance that runs the jobs of {@code database}}
   *
   * @param runner the runner, usually a worker that has not been started; it must be built on a
   *     queue in {@code database}
   * @param database the database whose jobs are run
   */
  public static JobRuns with(JobRunner runner, QueueDatabase database) {
    return with(runner, database.queue());
  }

  /**
   * {@return an instance that runs the jobs of a queue in a database that the testkit has not
   * created}
   *
   * @param runner the runner, usually a worker that has not been started; it must be built on the
   *     same queue
   * @param queue the queue whose jobs are run
   */
  public static JobRuns with(JobRunner runner, TestQueue queue) {
    return new JobRuns(runner, queue);
  }

  /**
   * Runs all due jobs, including jobs that become due in the meantime. A job with durable steps
   * runs to its next wait.
   *
   * @return the number of attempts that were run
   */
  public int due() {
    return runner.runUntilIdle();
  }

  /**
   * Runs the next due job, if there is one.
   *
   * @return whether a job was run
   */
  public boolean next() {
    return runner.runNext();
  }

  /**
   * {@linkplain TestQueue#timeTravel Travels forward in time} and runs all jobs that are then due.
   * If an attempt fails, the next one may not be due yet, because its backoff starts only at the
   * end of the failed attempt.
   *
   * @param time the time from now
   * @return the number of attempts that were run
   */
  public int dueWithin(Duration time) {
    queue.timeTravel(time);
    return due();
  }

  /**
   * Runs jobs until none that the runner serves is pending, travelling forward in time from one due
   * time to the next. Afterwards, all these jobs, including any follow-up jobs, are completed, dead
   * or cancelled. Jobs of queues and kinds that the runner does not serve remain pending and become
   * due.
   *
   * @return the number of attempts that were run
   * @throws AssertionError if jobs are still pending after 1,000 steps
   */
  public int toTheEnd() {
    int attempts = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Optional<Duration> wait = queue.untilNextDue();
      wait.ifPresent(queue::timeTravel);
      int ran = due();
      if (ran == 0 && wait.isEmpty()) {
        return attempts;
      }
      attempts += ran;
    }
    throw new AssertionError(
        String.format(
            Locale.ROOT,
            "After %,d due times and %,d attempts jobs are still pending. Does a handler snooze, or"
                + " enqueue a job like its own, again and again?",
            MOST_ROUNDS,
            attempts));
  }
}
