package dev.skipjack.api.operations;

import dev.skipjack.api.JobStatus;

/**
 * The number of live jobs of one queue, kind and status. An instance whose kind is {@link #OTHERS}
 * only indicates that there may be other kinds with this status.
 *
 * @param queue the queue, or {@link #OTHERS} for any queue
 * @param kind the kind, or {@link #OTHERS} for any kind without a separate count
 * @param status a {@linkplain JobStatus#isLive live} status
 * @param jobs the number of jobs, at least 1; 0 if the kind is {@link #OTHERS}, because the number
 *     is unknown
 * @param estimated whether {@code jobs} is an estimate, because counting would have had to read too
 *     many rows. An estimate usually has the right order of magnitude, but this is not guaranteed
 */
public record JobCount(String queue, String kind, JobStatus status, long jobs, boolean estimated) {

  /**
   * A placeholder for kinds or queues that may be missing from the counts. It is not a valid name.
   */
  public static final String OTHERS = "*";

  /** {@return whether this instance only indicates that some kinds may be missing} */
  public boolean isOthers() {
    return kind.equals(OTHERS);
  }
}
