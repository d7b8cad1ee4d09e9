package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about one job as it was when it was read.
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

  /** It waits for its time or for a worker. */
  public JobAssert isPending() {
    return hasStatus(JobStatus.PENDING);
  }

  /** An execution holds a lease on it. */
  public JobAssert isRunning() {
    return hasStatus(JobStatus.RUNNING);
  }

  /** It is a dead letter. */
  public JobAssert isDead() {
    return hasStatus(JobStatus.DEAD);
  }

  /** It is done. */
  public JobAssert isCompleted() {
    return hasStatus(JobStatus.COMPLETED);
  }

  /** It was called off. */
  public JobAssert isCancelled() {
    return hasStatus(JobStatus.CANCELLED);
  }

  /** It is in this state. */
  public JobAssert hasStatus(JobStatus status) {
    return require(job.status() == status, "to be " + status.literal());
  }

  /** So many attempts were begun, snoozed and released ones included. */
  public JobAssert hasAttempts(int attempts) {
    return require(job.attempts() == attempts, "to have had %d attempts".formatted(attempts));
  }

  /** Its latest attempt that did not succeed left a message that contains this. */
  public JobAssert hasLastErrorContaining(String text) {
    String error = job.lastError();
    return require(
        error != null && error.contains(text), "to have a last error with '%s'".formatted(text));
  }

  /** No attempt failed so far. */
  public JobAssert hasNoError() {
    return require(job.lastError() == null, "to have no error");
  }

  /** It is in this queue, or ended in it. */
  public JobAssert isOnQueue(String queue) {
    return require(job.queue().equals(queue), "to be on queue '%s'".formatted(queue));
  }

  /** It is pending and its time has come. */
  public JobAssert isDue() {
    return require(
        job.status() == JobStatus.PENDING && !isPositive(job.dueIn()), "to be pending and due");
  }

  /**
   * It is pending and due so long from now: at most 10 seconds sooner, because time has passed
   * since somebody said so. For waits between attempts that jitter, see {@link #isDueWithin}.
   */
  public JobAssert isDueIn(Duration wait) {
    Duration passed = wait.minus(job.dueIn());
    return require(
        job.status() == JobStatus.PENDING
            && !passed.isNegative()
            && passed.compareTo(TOLERANCE) <= 0,
        "to be pending and due in " + Texts.of(wait));
  }

  /** It is pending and due so long from now or sooner. */
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
