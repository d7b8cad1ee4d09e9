package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** An enqueuer that uses either its own transactions or a caller's transaction. */
final class BoundEnqueuer implements JobEnqueuer {

  private final NewJobFactory jobFactory;
  private final Function<List<NewJob>, List<EnqueueResult>> insert;

  BoundEnqueuer(
      NewJobFactory jobFactory, EnqueueInterceptor interceptor, EnqueueInterceptor.Next write) {
    this.jobFactory = jobFactory;
    this.insert = jobs -> interceptor.enqueue(jobs, write);
  }

  @Override
  public <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return insert.apply(List.of(jobFactory.create(type, payload, options))).get(0).jobId();
  }

  @Override
  public <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options) {
    List<NewJob> jobs =
        payloads.stream()
            .map(payload -> withoutKey(jobFactory.create(type, payload, options)))
            .toList();
    return insert.apply(jobs).stream().map(EnqueueResult::jobId).toList();
  }

  @Override
  public <T> EnqueueResult enqueueOnce(
      JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return insert.apply(List.of(withKey(jobFactory.create(type, payload, options)))).get(0);
  }

  @Override
  public <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options) {
    return insert.apply(
        payloads.stream()
            .map(
                payload ->
                    withKey(jobFactory.create(type, payload, job -> options.apply(payload, job))))
            .toList());
  }

  private static NewJob withKey(NewJob job) {
    if (job.idempotencyKey() == null) {
      throw new IllegalArgumentException(
          "A job of kind '%s' has no idempotency key. Set one, or use enqueue or enqueueAll."
              .formatted(job.kind()));
    }
    return job;
  }

  private static NewJob withoutKey(NewJob job) {
    if (job.idempotencyKey() != null) {
      throw new IllegalArgumentException(
          "One idempotency key for many jobs of kind '%s' would create only one job. Use enqueueAllOnce."
              .formatted(job.kind()));
    }
    return job;
  }
}
