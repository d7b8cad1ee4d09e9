package dev.skipjack.api;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What an enqueue did. */
public sealed interface EnqueueResult {

  /** The job that stands for the request: the new one or the one that was there. */
  JobId jobId();

  /** One of three functions, by what happened. */
  <R> R fold(
      Function<Enqueued, R> enqueued,
      Function<AlreadyQueued, R> alreadyQueued,
      Function<Replaced, R> replaced);

  /**
   * One of two functions, by whether a job was created. A job that was replaced was there already:
   * it is handed to {@code alreadyQueued} as pending.
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
   * Nothing was created or changed: another job holds the unique key, or the idempotency key was
   * taken before.
   *
   * @param jobId the job that holds it or took it; one that took a key which outlives it may be
   *     done long since
   * @param status where that job was when it was looked at; null: it was not, as for an idempotency
   *     key
   */
  record AlreadyQueued(JobId jobId, @Nullable HolderStatus status) implements EnqueueResult {

    /** A job that was not looked at. */
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
   * changed as the request says.
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
