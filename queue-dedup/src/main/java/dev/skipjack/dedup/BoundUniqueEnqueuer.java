package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.QueueExtension.Drafts;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * An enqueuer that writes through one way to the database: a transaction of its own or a caller's.
 */
final class BoundUniqueEnqueuer implements UniqueEnqueuer {

  private final Drafts drafts;
  private final Insertion insertion;

  BoundUniqueEnqueuer(Drafts drafts, Insertion insertion) {
    this.drafts = drafts;
    this.insertion = insertion;
  }

  /** Writes jobs that have their keys. */
  @FunctionalInterface
  interface Insertion {
    List<EnqueueResult> write(List<NewJob> jobs, Unique<?> unique);
  }

  /** The job with its key; whatever is wrong with it shows here, before any SQL. */
  static <T> NewJob job(
      Drafts drafts,
      JobType<T> type,
      T payload,
      Unique<T> unique,
      UnaryOperator<EnqueueOptions> options) {
    return unique.apply(drafts.draft(type, payload, options), payload);
  }

  @Override
  public <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return insertion.write(List.of(job(drafts, type, payload, unique, options)), unique).get(0);
  }

  @Override
  public <T> List<EnqueueResult> enqueueAll(
      JobType<T> type, List<T> payloads, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    List<NewJob> jobs =
        payloads.stream().map(payload -> job(drafts, type, payload, unique, options)).toList();
    return jobs.isEmpty() ? List.of() : insertion.write(jobs, unique);
  }
}
