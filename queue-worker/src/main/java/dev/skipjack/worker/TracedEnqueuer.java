package dev.skipjack.worker;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Passes the traceparent of the handler's job on to the jobs that the handler enqueues, unless a
 * job has a traceparent already.
 */
final class TracedEnqueuer implements JobEnqueuer {

  private final JobEnqueuer enqueuer;
  private final String traceparent;

  TracedEnqueuer(JobEnqueuer enqueuer, String traceparent) {
    this.enqueuer = enqueuer;
    this.traceparent = traceparent;
  }

  @Override
  public <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return enqueuer.enqueue(type, payload, traced(options));
  }

  @Override
  public <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options) {
    return enqueuer.enqueueAll(type, payloads, traced(options));
  }

  @Override
  public <T> EnqueueResult enqueueOnce(
      JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return enqueuer.enqueueOnce(type, payload, traced(options));
  }

  @Override
  public <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options) {
    return enqueuer.enqueueAllOnce(
        type, payloads, (payload, job) -> options.apply(payload, job.traceparent(traceparent)));
  }

  private UnaryOperator<EnqueueOptions> traced(UnaryOperator<EnqueueOptions> options) {
    return job -> options.apply(job.traceparent(traceparent));
  }
}
