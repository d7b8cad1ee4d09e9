package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An execution of a job. It entitles its worker to end the attempt: every write concerning the
 * attempt names the job and the execution id.
 *
 * @param jobId the job
 * @param id the execution id, which fences writes
 * @param startedAt when the job was claimed, by the database clock. Must be exactly the instant
 *     that the claim returned, to the microsecond, because a store may look for the audit row of
 *     the attempt only at this instant
 * @param orderingKey the ordering key of the job, which the end of the attempt may pass on to the
 *     next job, or null if the job has none
 */
public record Execution(
    JobId jobId, ExecutionId id, Instant startedAt, @Nullable String orderingKey) {

  /** Creates an execution of a job without an ordering key. */
  public Execution(JobId jobId, ExecutionId id, Instant startedAt) {
    this(jobId, id, startedAt, null);
  }

  /** Returns whether the job has an ordering key. */
  public boolean isOrdered() {
    return orderingKey != null;
  }
}
