package dev.skipjack.worker;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Passes the headers of the handler's job on to the jobs that the handler enqueues, unless they set
 * a header of the same name.
 */
final class InheritingEnqueuer implements JobEnqueuer {

  private final JobEnqueuer enqueuer;
  private final Map<String, String> headers;

  InheritingEnqueuer(JobEnqueuer enqueuer, Map<String, String> headers) {
    this.enqueuer = enqueuer;
    this.headers = headers;
  }

  @Override
  public <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return enqueuer.enqueue(type, payload, inheriting(options));
  }

  @Override
  public <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options) {
    return enqueuer.enqueueAll(type, payloads, inheriting(options));
  }

  @Override
  public <T> EnqueueResult enqueueOnce(
      JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return enqueuer.enqueueOnce(type, payload, inheriting(options));
  }

  @Override
  public <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options) {
    return enqueuer.enqueueAllOnce(
        type, payloads, (payload, job) -> options.apply(payload, job.headers(headers)));
  }

  private UnaryOperator<EnqueueOptions> inheriting(UnaryOperator<EnqueueOptions> options) {
    return job -> options.apply(job.headers(headers));
  }
}
