package dev.skipjack.steps;

import dev.skipjack.api.JobType;
import java.util.List;
import java.util.function.Function;

/** A batch that is not sealed yet. Not thread-safe. */
public final class Batch {

  private Batch() {}

  /** {@return the id of the batch} */
  public BatchId id() {
    throw new UnsupportedOperationException();
  }

  /**
   * Adds one job for each payload.
   *
   * @param <P> the type of the payloads
   * @param type the type of the jobs
   * @param payloads the payloads
   * @return this batch
   */
  public <P> Batch add(JobType<P> type, List<P> payloads) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sets the job that is enqueued when all jobs of the batch have ended.
   *
   * @param <P> the type of its payload
   * @param type the type of the job
   * @param payload returns its payload
   * @return this batch
   */
  public <P> Batch onFinish(JobType<P> type, Function<BatchId, P> payload) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sets the job that is enqueued when all jobs of the batch have been completed.
   *
   * @param <P> the type of its payload
   * @param type the type of the job
   * @param payload returns its payload
   * @return this batch
   */
  public <P> Batch onSuccess(JobType<P> type, Function<BatchId, P> payload) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sets the job that is enqueued when the first job of the batch has become dead.
   *
   * @param <P> the type of its payload
   * @param type the type of the job
   * @param payload returns its payload
   * @return this batch
   */
  public <P> Batch onFirstDead(JobType<P> type, Function<BatchId, P> payload) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sets what a dead job means for the batch.
   *
   * @param policy the policy; the default is {@link DeadPolicy#COUNT}
   * @return this batch
   */
  public Batch whenDead(DeadPolicy policy) {
    throw new UnsupportedOperationException();
  }

  /** {@return the id of the batch, to which no more jobs are added from now on} */
  public BatchId seal() {
    throw new UnsupportedOperationException();
  }
}
