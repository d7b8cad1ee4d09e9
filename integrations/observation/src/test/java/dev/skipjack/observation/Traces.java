package dev.skipjack.observation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.worker.ExecutionInterceptor;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The spans of a test, which uses either OpenTelemetry or Micrometer. */
abstract class Traces {

  final InMemorySpanExporter exporter = InMemorySpanExporter.create();

  /** The throwable that the processor of spans throws at the end of each span, or null. */
  volatile @Nullable Throwable failureAtTheEnd;

  final OpenTelemetrySdk openTelemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .addSpanProcessor(new Failing())
                  .build())
          .setPropagators(
              ContextPropagators.create(
                  TextMapPropagator.composite(
                      W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())))
          .build();

  private final class Failing implements SpanProcessor {

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
      return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
      if (failureAtTheEnd != null) {
        Failing.<RuntimeException>sneak(failureAtTheEnd);
      }
    }

    /** Throws a throwable that no signature declares, as languages other than Java can. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
      throw (E) thrown;
    }

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }

  abstract EnqueueInterceptor enqueues();

  abstract ExecutionInterceptor attempts();

  /**
   * Sets the maximum time between an enqueue and a first attempt for which the attempt's span is a
   * child of the enqueue's span.
   */
  abstract void childWithin(Duration wait);

  /** Runs {@code action} as a part of a new trace. */
  abstract void inTrace(Runnable action);

  /** Returns the finished spans of {@code kind}, in the order in which they began. */
  final List<SpanData> spans(SpanKind kind) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getKind() == kind)
        .sorted(Comparator.comparing(SpanData::getStartEpochNanos))
        .toList();
  }

  static String attribute(SpanData span, String name) {
    return span.getAttributes().asMap().entrySet().stream()
        .filter(attribute -> attribute.getKey().getKey().equals(name))
        .map(attribute -> attribute.getValue().toString())
        .findFirst()
        .orElse("none");
  }

  static void assertChild(SpanData child, SpanData parent) {
    assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
    assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
    assertThat(child.getLinks()).isEmpty();
  }

  static void assertLinked(SpanData span, SpanData producer) {
    assertThat(span.getTraceId()).isNotEqualTo(producer.getTraceId());
    assertThat(span.getParentSpanContext().isValid()).isFalse();
    assertThat(span.getLinks())
        .extracting(LinkData::getSpanContext)
        .singleElement()
        .satisfies(
            linked -> {
              assertThat(linked.getTraceId()).isEqualTo(producer.getTraceId());
              assertThat(linked.getSpanId()).isEqualTo(producer.getSpanId());
            });
  }

  static String exception(SpanData span) {
    return span.getEvents().stream()
        .map(event -> event.getAttributes().get(AttributeKey.stringKey("exception.type")))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse("none");
  }

  static final class WithOpenTelemetry extends Traces {

    private OpenTelemetryTracing tracing = OpenTelemetryTracing.of(openTelemetry);

    @Override
    EnqueueInterceptor enqueues() {
      return tracing;
    }

    @Override
    ExecutionInterceptor attempts() {
      return tracing;
    }

    @Override
    void childWithin(Duration wait) {
      tracing = tracing.childWithin(wait);
    }

    @Override
    void inTrace(Runnable action) {
      io.opentelemetry.api.trace.Span span =
          openTelemetry.getTracer("test").spanBuilder("caller").startSpan();
      Context.current().with(span).wrap(action).run();
      span.end();
    }

    @Override
    public String toString() {
      return "OpenTelemetry";
    }
  }

  static final class WithMicrometer extends Traces {

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final ObservationRegistry registry = ObservationRegistry.create();
    private JobObservations observations = JobObservations.of(registry);

    WithMicrometer() {
      io.opentelemetry.api.trace.Tracer otel = openTelemetry.getTracer("test");
      OtelTracer tracer = new OtelTracer(otel, new OtelCurrentTraceContext(), event -> {});
      OtelPropagator propagator = new OtelPropagator(openTelemetry.getPropagators(), otel);
      registry
          .observationConfig()
          .observationHandler(
              new FirstMatchingCompositeObservationHandler(
                  new LinkingTracingHandler(tracer, propagator),
                  new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                  new DefaultTracingObservationHandler(tracer)))
          .observationHandler(new DefaultMeterObservationHandler(meters));
    }

    @Override
    EnqueueInterceptor enqueues() {
      return observations;
    }

    @Override
    ExecutionInterceptor attempts() {
      return observations;
    }

    @Override
    void childWithin(Duration wait) {
      observations = observations.childWithin(wait);
    }

    @Override
    void inTrace(Runnable action) {
      Observation.createNotStarted("caller", registry).observe(action);
    }

    @Override
    public String toString() {
      return "Micrometer";
    }
  }
}
