package dev.skipjack.api.operations;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The record of a bulk operation: who started it, its action, its jobs and its progress.
 *
 * @param id the identity of the operation
 * @param actor the operator who started it
 * @param action the action that is applied to each job
 * @param filter selects the jobs
 * @param payloadPatch the JSON merge patch that is applied to the payloads; null if they are not
 *     changed
 * @param newestId the newest job that existed at the preview; later jobs are not changed
 * @param diedBefore only jobs that died before this time are changed; null for no such limit
 * @param done the number of jobs that were changed
 * @param skipped the number of jobs that could not be changed, for example because another job
 *     holds their unique key
 * @param failed the number of jobs that other transactions had locked. The jobs of the latest batch
 *     are tried again for about a second, even if the operation has finished, and this number can
 *     then decrease
 * @param lastReason why the latest job was skipped or failed; null if none was
 * @param state whether the operation is running, was stopped or has finished
 * @param createdAt when the operation was started
 * @param updatedAt when a batch last ended, or the state last changed
 * @param finishedAt when the operation finished; null if it has not finished
 */
public record JobOperation(
    long id,
    String actor,
    OperationAction action,
    JobQuery filter,
    @Nullable String payloadPatch,
    long newestId,
    @Nullable Instant diedBefore,
    long done,
    long skipped,
    long failed,
    @Nullable String lastReason,
    State state,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant finishedAt) {

  /** The state of an operation. */
  public enum State {
    /** The operation is running, or its process has ended and a worker will continue it. */
    RUNNING,
    /** An operator has stopped the operation. It can be continued. */
    STOPPED,
    /** All jobs have been processed. */
    FINISHED;

    /** {@return the value that represents this state in the database} */
    public String literal() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * {@return the state that a database value represents}
     *
     * @param literal the value in the database
     * @throws IllegalArgumentException if no state has this value
     */
    public static State of(String literal) {
      return valueOf(literal.toUpperCase(Locale.ROOT));
    }
  }
}
