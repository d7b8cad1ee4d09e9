package dev.skipjack.observation;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;

/**
 * Creates the spans of attempts, with a link to the enqueue if the attempt has a trace of its own.
 * Register it before the handlers that support any receiver, in a {@code
 * FirstMatchingCompositeObservationHandler}.
 */
public final class LinkingTracingHandler
    extends PropagatingReceiverTracingObservationHandler<ProcessContext> {

  private static final String SAMPLED = "01";

  private final Tracer tracer;

  /** Creates a handler that continues traces with {@code propagator}. */
  public LinkingTracingHandler(Tracer tracer, Propagator propagator) {
    super(tracer, propagator);
    this.tracer = tracer;
  }

  @Override
  public boolean supportsContext(Observation.Context context) {
    return context instanceof ProcessContext;
  }

  @Override
  public Span.Builder customizeExtractedSpan(ProcessContext context, Span.Builder builder) {
    return context
        .linkedTraceparent()
        .map(traceparent -> builder.addLink(new Link(trace(traceparent))))
        .orElse(builder);
  }

  /** The form of the traceparent was checked when the job was enqueued. */
  private TraceContext trace(String traceparent) {
    String[] parts = traceparent.split("-", -1);
    return tracer
        .traceContextBuilder()
        .traceId(parts[1])
        .spanId(parts[2])
        .sampled(parts[3].equals(SAMPLED))
        .build();
  }
}
