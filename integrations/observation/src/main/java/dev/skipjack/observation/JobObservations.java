package dev.skipjack.observation;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.worker.ExecutionInterceptor;
import dev.skipjack.worker.JobContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports enqueues and attempts as Micrometer observations: {@code skipjack.enqueue}, a producer,
 * for each call to an enqueuer, and {@code skipjack.process}, a consumer, for each attempt.
 *
 * <pre>{@code
 * JobObservations observations = JobObservations.of(registry);
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(observations).build();
 * Worker.on(queue).interceptor(observations)...
 * }</pre>
 *
 * <p>With Micrometer Tracing, the trace is carried in the headers of the job. The first attempt of
 * a job is a child of the enqueue if it begins at most a minute after the enqueue. Every other
 * attempt has a trace of its own; register {@link LinkingTracingHandler} to give it a link to the
 * enqueue. Headers that would not fit are left out.
 *
 * <p>The observation of an asynchronous handler ends with its stage. Instances are immutable and
 * safe for any number of threads.
 */
public final class JobObservations implements EnqueueInterceptor, ExecutionInterceptor {

  private static final EnqueueConvention ENQUEUE = new EnqueueConvention();
  private static final ProcessConvention PROCESS = new ProcessConvention();

  private final ObservationRegistry registry;
  private final TraceHeaders headers;
  private final @Nullable EnqueueConvention enqueueConvention;
  private final @Nullable ProcessConvention processConvention;

  private JobObservations(
      ObservationRegistry registry,
      TraceHeaders headers,
      @Nullable EnqueueConvention enqueueConvention,
      @Nullable ProcessConvention processConvention) {
    this.registry = registry;
    this.headers = headers;
    this.enqueueConvention = enqueueConvention;
    this.processConvention = processConvention;
  }

  /**
   * {@return an interceptor that reports to {@code registry}}
   *
   * @param registry the registry
   */
  public static JobObservations of(ObservationRegistry registry) {
    return new JobObservations(registry, TraceHeaders.standard(), null, null);
  }

  /**
   * {@return a copy with another convention for enqueues}
   *
   * @param convention the names and tags of observations
   */
  public JobObservations convention(EnqueueConvention convention) {
    return new JobObservations(registry, headers, convention, processConvention);
  }

  /**
   * {@return a copy with another convention for attempts}
   *
   * @param convention the names and tags of observations
   */
  public JobObservations convention(ProcessConvention convention) {
    return new JobObservations(registry, headers, enqueueConvention, convention);
  }

  /**
   * {@return a copy in which the first attempt of a job is a child of the enqueue if the attempt
   * begins at most {@code wait} after the enqueue} Zero gives every attempt a trace of its own.
   * Defaults to one minute.
   *
   * @param wait the duration
   * @throws IllegalArgumentException if {@code wait} is negative
   */
  public JobObservations childWithin(Duration wait) {
    return new JobObservations(
        registry, headers.within(wait), enqueueConvention, processConvention);
  }

  @Override
  @SuppressWarnings("try") // only its opening and closing matter
  public List<EnqueueResult> enqueue(List<NewJob> jobs, EnqueueInterceptor.Next next) {
    String queue = Attributes.queue(jobs);
    boolean hasParent = registry.getCurrentObservation() != null;
    EnqueueContext context = new EnqueueContext(jobs);
    Observation observation =
        Observation.start(enqueueConvention, ENQUEUE, () -> context, registry);
    try (SafeScope scope = SafeScope.of(observation, Attributes.ENQUEUE, queue)) {
      List<EnqueueResult> results =
          next.enqueue(headers.write(jobs, context.propagated(), hasParent));
      context.enqueued(results);
      return results;
    } catch (Throwable failure) {
      Reports.end(Attributes.ENQUEUE, queue, () -> observation.error(failure));
      throw failure;
    } finally {
      Reports.end(Attributes.ENQUEUE, queue, observation::stop);
    }
  }

  @Override
  @SuppressWarnings("try") // only its opening and closing matter
  public @Nullable Outcome around(JobContext job, ExecutionInterceptor.Next next) throws Exception {
    ProcessContext context = new ProcessContext(job, headers.continuesTrace(job));
    Observation observation =
        Observation.start(processConvention, PROCESS, () -> context, registry);
    Outcome outcome;
    try (SafeScope scope = SafeScope.of(observation, Attributes.PROCESS, job.queue())) {
      outcome = next.proceed();
    } catch (Throwable failure) {
      end(observation, context, null, failure);
      throw failure;
    }
    if (outcome instanceof Outcome.Async async) {
      return ObservedStage.of(async, (late, failure) -> end(observation, context, late, failure));
    }
    end(observation, context, outcome, null);
    return outcome;
  }

  /** A scope whose end does not throw. */
  private record SafeScope(Observation.Scope scope, String operation, String queue)
      implements AutoCloseable {

    static SafeScope of(Observation observation, String operation, String queue) {
      return new SafeScope(observation.openScope(), operation, queue);
    }

    @Override
    public void close() {
      Reports.end(operation, queue, scope::close);
    }
  }

  private static void end(
      Observation observation,
      ProcessContext context,
      @Nullable Outcome outcome,
      @Nullable Throwable failure) {
    context.ended(Attributes.outcome(outcome));
    Throwable error = Attributes.error(outcome, failure);
    String queue = context.job().queue();
    if (error != null) {
      Reports.end(Attributes.PROCESS, queue, () -> observation.error(error));
    }
    Reports.end(Attributes.PROCESS, queue, observation::stop);
  }
}
