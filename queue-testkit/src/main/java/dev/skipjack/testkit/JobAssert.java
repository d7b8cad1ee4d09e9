package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about a single job, in the state in which it was read.
 *
 * @see QueueAssertions#assertThatJob
 */
public final class JobAssert extends AbstractAssert<JobAssert, JobId> {

  private static final Duration TOLERANCE = Duration.ofSeconds(10);

  private final JobRow job;

  JobAssert(JobRow job) {
    super(job.id(), JobAssert.class);
    this.job = job;
  }

  /**
   * Asserts that the job is pending.
   *
   * @return this, for further assertions
   */
  public JobAssert isPending() {
    return hasStatus(JobStatus.PENDING);
  }

  /**
   * Asserts that the job is running.
   *
   * @return this, for further assertions
   */
  public JobAssert isRunning() {
    return hasStatus(JobStatus.RUNNING);
  }

  /**
   * Asserts that the job is dead.
   *
   * @return this, for further assertions
   */
  public JobAssert isDead() {
    return hasStatus(JobStatus.DEAD);
  }

  /**
   * Asserts that the job is completed.
   *
   * @return this, for further assertions
   */
  public JobAssert isCompleted() {
    return hasStatus(JobStatus.COMPLETED);
  }

  /**
   * Asserts that the job is cancelled.
   *
   * @return this, for further assertions
   */
  public JobAssert isCancelled() {
    return hasStatus(JobStatus.CANCELLED);
  }

  /**
   * Asserts that the job has the given status.
   *
   * @param status the expected status
   * @return this, for further assertions
   */
  public JobAssert hasStatus(JobStatus status) {
    return require(job.status() == status, "to be " + status.literal());
  }

  /**
   * Asserts that the given number of attempts has been started, including attempts that were
   * snoozed or released.
   *
   * @param attempts the number of attempts
   * @return this, for further assertions
   */
  public JobAssert hasAttempts(int attempts) {
    return require(job.attempts() == attempts, "to have had %d attempts".formatted(attempts));
  }

  /**
   * Asserts that the error message of the latest unsuccessful attempt contains the given text.
   *
   * @param text a part of the expected message
   * @return this, for further assertions
   */
  public JobAssert hasLastErrorContaining(String text) {
    String error = job.lastError();
    return require(
        error != null && error.contains(text), "to have a last error with '%s'".formatted(text));
  }

  /**
   * Asserts that no attempt has recorded an error.
   *
   * @return this, for further assertions
   */
  public JobAssert hasNoError() {
    return require(job.lastError() == null, "to have no error");
  }

  /**
   * Asserts that the job has recorded exactly the given durable steps, including sleeps that have
   * begun and signals that it has taken.
   *
   * @param names the names of the steps, in the order in which they were recorded
   * @return this, for further assertions
   */
  public JobAssert hasSteps(String... names) {
    List<String> expected = List.of(names);
    return require(job.steps().equals(expected), "to have recorded the steps " + expected);
  }

  /**
   * Asserts that the job is suspended: it waits for a signal, for the end of a sleep, or for the
   * jobs of a step. It no longer is as soon as it is due.
   *
   * @param name the name of the signal, of the sleep, or of the step that enqueued the jobs
   * @return this, for further assertions
   */
  public JobAssert waitsFor(String name) {
    return require(name.equals(job.waitsFor()), "to wait for '%s'".formatted(name));
  }

  /**
   * Asserts that the job is in the given queue, or was in it when it ended.
   *
   * @param queue the name of the queue
   * @return this, for further assertions
   */
  public JobAssert isOnQueue(String queue) {
    return require(job.queue().equals(queue), "to be on queue '%s'".formatted(queue));
  }

  /**
   * Asserts that the job is pending and due.
   *
   * @return this, for further assertions
   */
  public JobAssert isDue() {
    return require(
        job.status() == JobStatus.PENDING && !isPositive(job.dueIn()), "to be pending and due");
  }

  /**
   * Asserts that the job is pending and becomes due after the given duration, or up to 10 seconds
   * earlier. The tolerance allows for the time that has passed since the due time was set. For
   * backoffs with jitter, use {@link #isDueWithin}.
   *
   * @param wait the wait, from now by the database's clock
   * @return this, for further assertions
   */
  public JobAssert isDueIn(Duration wait) {
    Duration passed = wait.minus(job.dueIn());
    return require(
        job.status() == JobStatus.PENDING
            && !passed.isNegative()
            && passed.compareTo(TOLERANCE) <= 0,
        "to be pending and due in " + Texts.of(wait));
  }

  /**
   * Asserts that the job is pending and is or becomes due within the given duration.
   *
   * @param wait the wait, from now by the database's clock
   * @return this, for further assertions
   */
  public JobAssert isDueWithin(Duration wait) {
    return require(
        job.status() == JobStatus.PENDING && job.dueIn().compareTo(wait) <= 0,
        "to be pending and due within " + Texts.of(wait));
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  private JobAssert require(boolean holds, String wish) {
    if (!holds) {
      failWithMessage("Expected job %s %s, but it is this:%n  %s", job.id(), wish, job.describe());
    }
    return this;
  }
}
