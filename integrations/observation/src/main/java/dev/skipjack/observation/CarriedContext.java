package dev.skipjack.observation;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.worker.ExecutionInterceptor;
import dev.skipjack.worker.JobContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries context from the thread that enqueues a job to the thread that runs its handler.
 *
 * <pre>{@code
 * CarriedContext context = CarriedContext.of(MdcEntries.of("tenant", "requestId"));
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(context).build();
 * Worker.on(queue).interceptor(context)...
 * }</pre>
 *
 * <p>At an enqueue, the carriers capture the context once, for all jobs of the call. A header that
 * a job already has, because it was given or inherited, is kept. Around a handler, the carriers
 * restore the context in their order, and it is removed in the opposite order, even if a carrier
 * fails. A carrier that fails to restore its part makes the attempt fail; one that fails to remove
 * it is logged.
 *
 * <p>The context of an asynchronous handler is restored while its method runs, not while its stage
 * runs, which may use other threads.
 *
 * <p>Safe for any number of threads.
 */
public final class CarriedContext implements EnqueueInterceptor, ExecutionInterceptor {

  private static final Logger LOG = LoggerFactory.getLogger(CarriedContext.class);

  private final List<ContextCarrier> carriers;

  private CarriedContext(List<ContextCarrier> carriers) {
    this.carriers = carriers;
  }

  /**
   * {@return an interceptor that uses {@code carriers}, in this order}
   *
   * @param carriers the carriers
   */
  public static CarriedContext of(ContextCarrier... carriers) {
    return of(List.of(carriers));
  }

  /**
   * {@return an interceptor that uses {@code carriers}, in this order}
   *
   * @param carriers the carriers
   */
  public static CarriedContext of(List<ContextCarrier> carriers) {
    return new CarriedContext(List.copyOf(carriers));
  }

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs, EnqueueInterceptor.Next next) {
    Map<String, String> captured = new LinkedHashMap<>();
    carriers.forEach(carrier -> captured.putAll(carrier.capture()));
    return next.enqueue(
        captured.isEmpty() ? jobs : jobs.stream().map(job -> with(captured, job)).toList());
  }

  private static NewJob with(Map<String, String> captured, NewJob job) {
    Map<String, String> missing = new LinkedHashMap<>(captured);
    missing.keySet().removeAll(job.headers().keySet());
    return job.withHeaders(missing);
  }

  @Override
  public @Nullable Outcome around(JobContext context, ExecutionInterceptor.Next next)
      throws Exception {
    Deque<ContextCarrier.Restored> restored = new ArrayDeque<>();
    try {
      for (ContextCarrier carrier : carriers) {
        restored.push(carrier.restore(context.headers()));
      }
      return next.proceed();
    } finally {
      restored.forEach(part -> remove(part, context));
    }
  }

  /** Does not throw: the handler has ended, and its outcome counts. */
  private static void remove(ContextCarrier.Restored part, JobContext context) {
    try {
      part.close();
    } catch (Throwable failed) {
      LOG.warn(
          "Context was not removed kind={} jobId={} carrier={}",
          context.kind(),
          context.jobId(),
          part.getClass().getName(),
          failed);
    }
  }
}
