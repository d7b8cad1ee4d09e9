package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import java.util.List;
import java.util.function.UnaryOperator;

/** An enqueuer that uses either its own transactions or a caller's transaction. */
final class BoundUniqueEnqueuer implements UniqueEnqueuer {

  private final JobFactory jobFactory;
  private final Insertion insertion;

  BoundUniqueEnqueuer(JobFactory jobFactory, Insertion insertion) {
    this.jobFactory = jobFactory;
    this.insertion = insertion;
  }

  /** Writes jobs that already have their unique keys. */
  @FunctionalInterface
  interface Insertion {
    List<EnqueueResult> write(List<NewJob> jobs, Unique<?> unique);
  }

  /** Returns the job with its key. Rejects invalid jobs before any SQL is sent. */
  static <T> NewJob job(
      JobFactory jobFactory,
      JobType<T> type,
      T payload,
      Unique<T> unique,
      UnaryOperator<EnqueueOptions> options) {
    return unique.apply(jobFactory.create(type, payload, options), payload);
  }

  @Override
  public <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return insertion.write(List.of(job(jobFactory, type, payload, unique, options)), unique).get(0);
  }

  @Override
  public <T> List<EnqueueResult> enqueueAll(
      JobType<T> type, List<T> payloads, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    List<NewJob> jobs =
        payloads.stream().map(payload -> job(jobFactory, type, payload, unique, options)).toList();
    return jobs.isEmpty() ? List.of() : insertion.write(jobs, unique);
  }
}
