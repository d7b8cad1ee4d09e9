package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An execution of a job. Every write that concerns the attempt names the job and the execution id,
 * and is rejected if the execution no longer owns the job.
 *
 * @param jobId the job
 * @param id the execution id, which fences writes
 * @param startedAt when the job was claimed, by the database clock. Must be exactly the instant
 *     that the claim returned, to the microsecond, because a store may look for the audit row of
 *     the attempt only at this instant
 * @param orderingKey the ordering key of the job, whose next job may be promoted when the attempt
 *     ends; null if the job has no ordering key
 * @param owner the owner of the job, as {@link NewJob#ownedBy} set it; null if it has none
 * @param hasSteps whether the job has recorded durable steps, as far as the worker knows. The end
 *     of the job then ends its steps too. What no worker knows, a {@link Sweeper} finds later
 */
public record Execution(
    JobId jobId,
    ExecutionId id,
    Instant startedAt,
    @Nullable String orderingKey,
    @Nullable Long owner,
    boolean hasSteps) {

  /**
   * Creates an execution of a job without an ordering key, an owner or durable steps.
   *
   * @param jobId the job
   * @param id the id
   * @param startedAt when it started
   */
  public Execution(JobId jobId, ExecutionId id, Instant startedAt) {
    this(jobId, id, startedAt, null);
  }

  /**
   * Creates an execution of a job without an owner or durable steps.
   *
   * @param jobId the job
   * @param id the id
   * @param startedAt when it started
   * @param orderingKey the ordering key of the job, or null if it has none
   */
  public Execution(JobId jobId, ExecutionId id, Instant startedAt, @Nullable String orderingKey) {
    this(jobId, id, startedAt, orderingKey, null, false);
  }

  /** {@return the same execution of a job that has recorded durable steps} */
  public Execution withSteps() {
    return new Execution(jobId, id, startedAt, orderingKey, owner, true);
  }

  /** {@return whether the job has an ordering key} */
  public boolean isOrdered() {
    return orderingKey != null;
  }

  /** {@return whether the job has an owner} */
  public boolean isOwned() {
    return owner != null;
  }
}
