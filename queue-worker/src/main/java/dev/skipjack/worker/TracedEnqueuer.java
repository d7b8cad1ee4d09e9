package dev.skipjack.worker;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Gives the jobs that a handler enqueues the trace of its own, unless they have another. */
final class TracedEnqueuer implements JobEnqueuer {

  private final JobEnqueuer enqueuer;
  private final String traceParent;

  TracedEnqueuer(JobEnqueuer enqueuer, String traceParent) {
    this.enqueuer = enqueuer;
    this.traceParent = traceParent;
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
        type, payloads, (payload, job) -> options.apply(payload, job.traceParent(traceParent)));
  }

  private UnaryOperator<EnqueueOptions> traced(UnaryOperator<EnqueueOptions> options) {
    return job -> options.apply(job.traceParent(traceParent));
  }
}
