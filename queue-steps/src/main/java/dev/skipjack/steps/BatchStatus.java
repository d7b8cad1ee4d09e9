package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The state of a batch at one time. Instants are those of the database's clock.
 *
 * @param id the batch
 * @param name its name
 * @param outer the batch that contains it, or empty if there is none
 * @param joinedBy the job that joins its jobs, or empty if {@link Steps#enqueueAll} did not open it
 * @param total the number of jobs and batches that were added
 * @param jobs the number of its jobs of each live status and of dead jobs, each at most {@value
 *     #MOST_COUNTED}, which means that many or more
 * @param policy what a dead job means
 * @param createdAt when it was opened
 * @param sealedAt when it was sealed, or empty if it was not
 * @param finishedAt when its last job had ended, or empty if it has not finished
 * @param firstDeadAt when a worker found its first dead job, or empty if there was none
 * @param cancelledAt when its cancellation was requested, or empty if it was not
 * @param succeeded whether all of its jobs and batches had succeeded when it finished
 */
public record BatchStatus(
    BatchId id,
    String name,
    Optional<BatchId> outer,
    Optional<JobId> joinedBy,
    long total,
    Map<JobStatus, Integer> jobs,
    DeadPolicy policy,
    Instant createdAt,
    Optional<Instant> sealedAt,
    Optional<Instant> finishedAt,
    Optional<Instant> firstDeadAt,
    Optional<Instant> cancelledAt,
    boolean succeeded) {

  /** The maximum number of jobs of one status that are counted. */
  public static final int MOST_COUNTED = 100_000;

  /**
   * Copies the map.
   *
   * @param id the batch
   * @param name its name
   * @param outer the batch that contains it
   * @param joinedBy the job that joins its jobs
   * @param total the number of jobs and batches that were added
   * @param jobs the number of its jobs of each live status
   * @param policy what a dead job means
   * @param createdAt when it was opened
   * @param sealedAt when it was sealed
   * @param finishedAt when its last job had ended
   * @param firstDeadAt when a worker found its first dead job
   * @param cancelledAt when its cancellation was requested
   * @param succeeded whether all of its jobs and batches had succeeded
   */
  public BatchStatus {
    jobs = Map.copyOf(jobs);
  }

  /** {@return the number of jobs that have not ended, without dead ones} */
  public long live() {
    return (long) count(JobStatus.PENDING) + count(JobStatus.RUNNING) + count(JobStatus.WAITING);
  }

  /** {@return the number of dead jobs} */
  public long dead() {
    return count(JobStatus.DEAD);
  }

  /**
   * {@return the number of jobs and batches that have ended, dead ones included} If a count has
   * reached its maximum, the number is too great. Batches in the batch count as ended.
   */
  public long ended() {
    return Math.max(total - live(), 0);
  }

  private int count(JobStatus status) {
    return jobs.getOrDefault(status, 0);
  }
}
