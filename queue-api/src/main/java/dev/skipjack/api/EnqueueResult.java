package dev.skipjack.api;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The result of an enqueue. */
public sealed interface EnqueueResult {

  /** {@return the id of the new job or of the existing one} */
  JobId jobId();

  /**
   * Applies one of three functions to this result, depending on its type, and returns the
   * function's result.
   *
   * @param <R> the type of the result
   * @param enqueued receives the new job
   * @param alreadyQueued receives the existing job
   * @param replaced receives the job that was replaced
   * @return what the function returned
   */
  <R> R fold(
      Function<Enqueued, R> enqueued,
      Function<AlreadyQueued, R> alreadyQueued,
      Function<Replaced, R> replaced);

  /**
   * Applies one of two functions, depending on whether a job was created, and returns the
   * function's result. A replaced job existed before, so it is passed to {@code alreadyQueued},
   * with the status {@link HolderStatus#PENDING}.
   *
   * @param <R> the type of the result
   * @param enqueued receives the new job
   * @param alreadyQueued receives the existing job
   * @return what the function returned
   */
  default <R> R fold(Function<Enqueued, R> enqueued, Function<AlreadyQueued, R> alreadyQueued) {
    return fold(
        enqueued,
        alreadyQueued,
        replaced -> alreadyQueued.apply(new AlreadyQueued(replaced.jobId(), HolderStatus.PENDING)));
  }

  /**
   * Indicates that a job was created.
   *
   * @param jobId the new job
   */
  record Enqueued(JobId jobId) implements EnqueueResult {
    @Override
    public <R> R fold(
        Function<Enqueued, R> enqueued,
        Function<AlreadyQueued, R> alreadyQueued,
        Function<Replaced, R> replaced) {
      return enqueued.apply(this);
    }
  }

  /**
   * Indicates that nothing was created or changed, because another job holds the unique key or the
   * idempotency key has been used before.
   *
   * @param jobId the job that holds or has used the key; if the key is kept longer than the job,
   *     the job may have ended long ago
   * @param status the status of that job when it was read; null if it was not read, as for an
   *     idempotency key
   */
  record AlreadyQueued(JobId jobId, @Nullable HolderStatus status) implements EnqueueResult {

    /**
     * Creates a result without a status, for a job that was not read.
     *
     * @param jobId the job
     */
    public AlreadyQueued(JobId jobId) {
      this(jobId, null);
    }

    @Override
    public <R> R fold(
        Function<Enqueued, R> enqueued,
        Function<AlreadyQueued, R> alreadyQueued,
        Function<Replaced, R> replaced) {
      return alreadyQueued.apply(this);
    }
  }

  /**
   * Indicates that no job was created, but the job that holds the unique key was changed as
   * requested. That job is pending or waits for its ordering key, and has not used any attempts.
   *
   * @param jobId the job that was changed
   */
  record Replaced(JobId jobId) implements EnqueueResult {
    @Override
    public <R> R fold(
        Function<Enqueued, R> enqueued,
        Function<AlreadyQueued, R> alreadyQueued,
        Function<Replaced, R> replaced) {
      return replaced.apply(this);
    }
  }
}
