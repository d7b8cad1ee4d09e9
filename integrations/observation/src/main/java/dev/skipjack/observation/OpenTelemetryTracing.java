package dev.skipjack.observation;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.worker.ExecutionInterceptor;
import dev.skipjack.worker.JobContext;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reports enqueues and attempts as spans of OpenTelemetry: a producer for each call to an enqueuer,
 * and a consumer for each attempt.
 *
 * <pre>{@code
 * OpenTelemetryTracing tracing = OpenTelemetryTracing.of(openTelemetry);
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(tracing).build();
 * Worker.on(queue).interceptor(tracing)...
 * }</pre>
 *
 * <p>The trace is carried in the headers of the job, by OpenTelemetry's propagators, with baggage.
 * The first attempt of a job is a child of the enqueue if it begins at most a minute after the
 * enqueue. Every other attempt has a trace of its own, with a link to the enqueue. Headers that
 * would not fit are left out. Use {@link JobObservations} instead if the application uses
 * Micrometer.
 *
 * <p>The span of an asynchronous handler ends with its stage. Instances are immutable and safe for
 * any number of threads.
 */
public final class OpenTelemetryTracing implements EnqueueInterceptor, ExecutionInterceptor {

  private static final String SCOPE = "dev.skipjack";

  private static final TextMapGetter<Map<String, String>> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> headers) {
          return headers.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String name) {
          return headers == null ? null : TraceHeaders.read(headers, name);
        }
      };

  private final Tracer tracer;
  private final TextMapPropagator propagator;
  private final TraceHeaders headers;

  private OpenTelemetryTracing(Tracer tracer, TextMapPropagator propagator, TraceHeaders headers) {
    this.tracer = tracer;
    this.propagator = propagator;
    this.headers = headers;
  }

  /**
   * {@return an interceptor that uses the tracers and the propagators of {@code openTelemetry}}
   *
   * @param openTelemetry the instance whose tracer is used
   */
  public static OpenTelemetryTracing of(OpenTelemetry openTelemetry) {
    return new OpenTelemetryTracing(
        openTelemetry.getTracer(SCOPE),
        openTelemetry.getPropagators().getTextMapPropagator(),
        TraceHeaders.standard());
  }

  /**
   * {@return a copy in which the first attempt of a job is a child of the enqueue if the attempt
   * begins at most {@code wait} after the enqueue} Zero gives every attempt a trace of its own.
   * Defaults to one minute.
   *
   * @param wait the duration
   * @throws IllegalArgumentException if {@code wait} is negative
   */
  public OpenTelemetryTracing childWithin(Duration wait) {
    return new OpenTelemetryTracing(tracer, propagator, headers.within(wait));
  }

  @Override
  @SuppressWarnings("try") // only its opening and closing matter
  public List<EnqueueResult> enqueue(List<NewJob> jobs, EnqueueInterceptor.Next next) {
    boolean hasParent = Span.current().getSpanContext().isValid();
    String queue = Attributes.queue(jobs);
    Span span =
        span(SpanKind.PRODUCER, Attributes.ENQUEUE, Attributes.SEND, queue)
            .setAttribute(Attributes.KIND, Attributes.kind(jobs))
            .startSpan();
    if (jobs.size() > 1) {
      span.setAttribute(Attributes.MESSAGE_COUNT, jobs.size());
    }
    try (Scope scope = span.makeCurrent()) {
      Map<String, String> propagated = new LinkedHashMap<>();
      propagator.inject(
          Context.current(),
          propagated,
          (carrier, name, value) -> {
            if (carrier != null) {
              carrier.put(name, value);
            }
          });
      List<EnqueueResult> results = next.enqueue(headers.write(jobs, propagated, hasParent));
      Optional.ofNullable(Attributes.messageId(results))
          .ifPresent(id -> span.setAttribute(Attributes.MESSAGE_ID, id));
      return results;
    } catch (Throwable failure) {
      fail(span, failure);
      throw failure;
    } finally {
      Reports.end(Attributes.ENQUEUE, queue, span::end);
    }
  }

  @Override
  @SuppressWarnings("try") // only its opening and closing matter
  public @Nullable Outcome around(JobContext job, ExecutionInterceptor.Next next) throws Exception {
    Context extracted = propagator.extract(Context.root(), job.headers(), HEADERS);
    Context parent = extracted;
    SpanBuilder builder =
        span(SpanKind.CONSUMER, Attributes.PROCESS, Attributes.PROCESS, job.queue())
            .setAttribute(Attributes.KIND, job.kind())
            .setAttribute(Attributes.MESSAGE_ID, job.jobId().toString())
            .setAttribute(Attributes.ATTEMPT, job.attempt());
    if (!headers.continuesTrace(job)) {
      builder.addLink(Span.fromContext(extracted).getSpanContext());
      parent = extracted.with(Span.getInvalid()); // baggage remains
    }
    Span span = builder.setParent(parent).startSpan();
    Outcome outcome;
    try (Scope scope = parent.with(span).makeCurrent()) {
      outcome = next.proceed();
    } catch (Throwable failure) {
      end(span, job, null, failure);
      throw failure;
    }
    if (outcome instanceof Outcome.Async async) {
      return ObservedStage.of(async, (late, failure) -> end(span, job, late, failure));
    }
    end(span, job, outcome, null);
    return outcome;
  }

  private SpanBuilder span(SpanKind kind, String operation, String type, String queue) {
    return tracer
        .spanBuilder(operation + " " + queue)
        .setSpanKind(kind)
        .setAttribute(Attributes.SYSTEM, Attributes.SKIPJACK)
        .setAttribute(Attributes.DESTINATION, queue)
        .setAttribute(Attributes.OPERATION, operation)
        .setAttribute(Attributes.OPERATION_TYPE, type);
  }

  private static void end(
      Span span, JobContext job, @Nullable Outcome outcome, @Nullable Throwable failure) {
    span.setAttribute(Attributes.OUTCOME, Attributes.outcome(outcome));
    Throwable error = Attributes.error(outcome, failure);
    if (error != null) {
      fail(span, error);
    }
    Reports.end(Attributes.PROCESS, job.queue(), span::end);
  }

  private static void fail(Span span, Throwable failure) {
    span.setAttribute(Attributes.ERROR_TYPE, failure.getClass().getName());
    span.recordException(failure);
    span.setStatus(StatusCode.ERROR);
  }
}
