package dev.skipjack.api;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The result of an enqueue. */
public sealed interface EnqueueResult {

  /** The job for the request: the new one or the existing one. */
  JobId jobId();

  /** Calls one of three functions, depending on the result. */
  <R> R fold(
      Function<Enqueued, R> enqueued,
      Function<AlreadyQueued, R> alreadyQueued,
      Function<Replaced, R> replaced);

  /**
   * Calls one of two functions, depending on whether a job was created. A replaced job existed
   * before: it is passed to {@code alreadyQueued} as pending.
   */
  default <R> R fold(Function<Enqueued, R> enqueued, Function<AlreadyQueued, R> alreadyQueued) {
    return fold(
        enqueued,
        alreadyQueued,
        replaced -> alreadyQueued.apply(new AlreadyQueued(replaced.jobId(), HolderStatus.PENDING)));
  }

  /**
   * A job was created.
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
   * Nothing was created or changed: another job holds the unique key, or the idempotency key is
   * known.
   *
   * @param jobId the job that holds or took the key; a job whose key outlives it may have ended
   *     long ago
   * @param status status of that job when it was read; null if it was not read, as for an
   *     idempotency key
   */
  record AlreadyQueued(JobId jobId, @Nullable HolderStatus status) implements EnqueueResult {

    /** Creates a result without the job's status, which was not read. */
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
   * Nothing was created: a pending job that has not used an attempt holds the unique key, and was
   * changed as requested.
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
