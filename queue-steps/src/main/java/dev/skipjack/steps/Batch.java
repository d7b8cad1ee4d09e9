package dev.skipjack.steps;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.QueueException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A batch that is not sealed yet. Each addition is a transaction of its own, unless the batch was
 * opened in a caller's transaction. Not thread-safe; several threads can add jobs with {@link
 * Batches#add}.
 */
public final class Batch {

  private final Batches batches;
  private final BatchId id;
  private final Map<Callback.Event, Callback> callbacks = new EnumMap<>(Callback.Event.class);
  private DeadPolicy policy = DeadPolicy.COUNT;

  Batch(Batches batches, BatchId id) {
    this.batches = batches;
    this.id = id;
  }

  /** {@return the id of the batch} */
  public BatchId id() {
    return id;
  }

  /**
   * Adds one job for each payload, in one transaction. The jobs can run at once, before the batch
   * is sealed.
   *
   * @param <P> the type of the payloads
   * @param type the type of the jobs
   * @param payloads the payloads; may be empty
   * @return this batch
   * @throws QueueException if the batch has finished or was cancelled
   * @throws PayloadException if a payload is rejected; nothing is added then
   */
  public <P> Batch add(JobType<P> type, List<P> payloads) {
    return add(type, payloads, UnaryOperator.identity());
  }

  /**
   * Adds jobs like {@link #add(JobType, List)}, with options.
   *
   * @param <P> the type of the payloads
   * @param type the type of the jobs
   * @param payloads the payloads
   * @param options sets what differs from the defaults of the type
   * @return this batch
   * @throws IllegalArgumentException if the options contain an idempotency key
   */
  public <P> Batch add(JobType<P> type, List<P> payloads, UnaryOperator<EnqueueOptions> options) {
    List<?> unused = batches.add(id, type, payloads, options);
    return this;
  }

  /**
   * Sets the job that is enqueued once when the batch has finished.
   *
   * @param <P> the type of its payload
   * @param type the type of the job, which must give it neither an ordering key nor a group
   * @param payload returns its payload, at once
   * @return this batch
   * @throws PayloadException if the payload is rejected
   */
  public <P> Batch onFinish(JobType<P> type, Function<BatchId, P> payload) {
    return on(Callback.Event.FINISH, type, payload);
  }

  /**
   * Sets the job that is enqueued once when the batch has finished and all of its jobs have been
   * completed. If a job was cancelled or is dead, or a batch in the batch has not succeeded, it is
   * not enqueued.
   *
   * @param <P> the type of its payload
   * @param type the type of the job
   * @param payload returns its payload, at once
   * @return this batch
   * @throws PayloadException if the payload is rejected
   */
  public <P> Batch onSuccess(JobType<P> type, Function<BatchId, P> payload) {
    return on(Callback.Event.SUCCESS, type, payload);
  }

  /**
   * Sets the job that is enqueued once when a worker finds the first dead job of the sealed batch.
   *
   * @param <P> the type of its payload
   * @param type the type of the job
   * @param payload returns its payload, at once
   * @return this batch
   * @throws PayloadException if the payload is rejected
   */
  public <P> Batch onFirstDead(JobType<P> type, Function<BatchId, P> payload) {
    return on(Callback.Event.FIRST_DEAD, type, payload);
  }

  private <P> Batch on(Callback.Event event, JobType<P> type, Function<BatchId, P> payload) {
    callbacks.put(event, batches.callback(type, payload.apply(id)));
    return this;
  }

  /**
   * Sets what a dead job means for the batch.
   *
   * @param policy the policy; the default is {@link DeadPolicy#COUNT}
   * @return this batch
   */
  public Batch whenDead(DeadPolicy policy) {
    this.policy = Objects.requireNonNull(policy, "The policy must not be null.");
    return this;
  }

  /**
   * Seals the batch: it finishes when its jobs have ended, at once if they already have.
   *
   * @return the id of the batch
   * @throws QueueException if the batch was sealed or cancelled before
   */
  public BatchId seal() {
    batches.seal(id, policy, callbacks);
    return id;
  }
}
