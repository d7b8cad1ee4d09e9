package dev.skipjack.api;

import java.util.function.Function;

/** What an enqueue did. */
public sealed interface EnqueueResult {

  /** The job that stands for the request: the new one or the one that was there. */
  JobId jobId();

  /** One of two functions, by what happened. */
  <R> R fold(Function<Enqueued, R> enqueued, Function<AlreadyQueued, R> alreadyQueued);

  /**
   * A job was created.
   *
   * @param jobId the new job
   */
  record Enqueued(JobId jobId) implements EnqueueResult {
    @Override
    public <R> R fold(Function<Enqueued, R> enqueued, Function<AlreadyQueued, R> alreadyQueued) {
      return enqueued.apply(this);
    }
  }

  /**
   * Nothing was created: a live job holds the unique key, or the idempotency key was taken before.
   *
   * @param jobId the job that holds it or took it; in the second case it may be done long since
   */
  record AlreadyQueued(JobId jobId) implements EnqueueResult {
    @Override
    public <R> R fold(Function<Enqueued, R> enqueued, Function<AlreadyQueued, R> alreadyQueued) {
      return alreadyQueued.apply(this);
    }
  }
}
