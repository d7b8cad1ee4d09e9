package dev.skipjack.observation;

import dev.skipjack.api.spi.Traceparent;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import java.util.Optional;

/**
 * Creates the spans of attempts, with a link to the enqueue if the attempt has a trace of its own.
 * Register it before the handlers that support any receiver, in a {@code
 * FirstMatchingCompositeObservationHandler}.
 */
public final class LinkingTracingHandler
    extends PropagatingReceiverTracingObservationHandler<ProcessContext> {

  private static final int HEXADECIMAL = 16;
  private static final int SAMPLED = 1;

  private final Tracer tracer;

  /**
   * Creates a handler that continues traces with {@code propagator}.
   *
   * @param tracer the tracer
   * @param propagator reads and writes trace headers
   */
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
    if (context.continuesTrace()) {
      return builder;
    }
    // Otherwise a span that is current in the handler's thread would become the parent.
    builder.setNoParent();
    return context
        .linkedTraceparent()
        .flatMap(this::trace)
        .map(trace -> builder.addLink(new Link(trace)))
        .orElse(builder);
  }

  /** Returns empty for a text that is no traceparent, which only SQL can have written. */
  private Optional<TraceContext> trace(String traceparent) {
    try {
      return Optional.of(parse(Traceparent.require(traceparent)));
    } catch (IllegalArgumentException invalid) {
      return Optional.empty();
    }
  }

  private TraceContext parse(String traceparent) {
    String[] parts = traceparent.split("-", -1);
    return tracer
        .traceContextBuilder()
        .traceId(parts[1])
        .spanId(parts[2])
        .sampled((Integer.parseInt(parts[3], HEXADECIMAL) & SAMPLED) != 0)
        .build();
  }
}
