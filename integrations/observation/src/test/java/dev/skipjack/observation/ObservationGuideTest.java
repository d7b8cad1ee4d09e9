package dev.skipjack.observation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Tests the code of docs/guides/observation.md. */
@QueueTest
class ObservationGuideTest {

  private static final JobType<String> SEND_MAIL = JobType.of("send-mail", String.class);

  private final List<String> sent = new ArrayList<>();
  private DataSource dataSource;

  @BeforeEach
  void setUp(QueueDatabase database) {
    dataSource = database.dataSource();
  }

  private Outcome send(String mail, JobContext context) {
    sent.add(mail + " " + MDC.get("requestId") + " " + context.headers().get("tenant"));
    return Outcome.completed();
  }

  // snippet: opentelemetry
  Worker withOpenTelemetry(OpenTelemetry openTelemetry) {
    OpenTelemetryTracing tracing = OpenTelemetryTracing.of(openTelemetry);
    JobQueue queue = JobQueue.builder(dataSource).interceptor(tracing).build();
    queue.enqueue(SEND_MAIL, "hello");
    return Worker.on(queue)
        .handle(SEND_MAIL, this::send)
        .queue("default", 5)
        .interceptor(tracing)
        .build();
  }

  // end of snippet

  @Test
  void openTelemetryAloneIsEnough() {
    Traces traces = new Traces.WithOpenTelemetry();
    withOpenTelemetry(traces.openTelemetry).runUntilIdle();
    assertConnected(traces);
  }

  // snippet: micrometer
  Worker withMicrometer(ObservationRegistry registry) {
    JobObservations observations = JobObservations.of(registry);
    JobQueue queue = JobQueue.builder(dataSource).interceptor(observations).build();
    queue.enqueue(SEND_MAIL, "hello");
    return Worker.on(queue)
        .handle(SEND_MAIL, this::send)
        .queue("default", 5)
        .interceptor(observations)
        .build();
  }

  // end of snippet

  // snippet: handlers
  static ObservationHandler<?> handlers(Tracer tracer, Propagator propagator) {
    return new FirstMatchingCompositeObservationHandler(
        new LinkingTracingHandler(tracer, propagator),
        new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
        new DefaultTracingObservationHandler(tracer));
  }

  // end of snippet

  @Test
  void micrometerNeedsItsHandlers() {
    Traces traces = new Traces.WithOpenTelemetry();
    io.opentelemetry.api.trace.Tracer otel = traces.openTelemetry.getTracer("test");
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            handlers(
                new OtelTracer(otel, new OtelCurrentTraceContext(), event -> {}),
                new OtelPropagator(traces.openTelemetry.getPropagators(), otel)));
    withMicrometer(registry).runUntilIdle();
    assertConnected(traces);
  }

  private static void assertConnected(Traces traces) {
    List<SpanData> consumers = traces.spans(SpanKind.CONSUMER);
    assertThat(consumers).hasSize(1);
    Traces.assertChild(consumers.get(0), traces.spans(SpanKind.PRODUCER).get(0));
  }

  // snippet: context
  Worker withContext() {
    CarriedContext context = CarriedContext.of(MdcEntries.of("requestId"));
    JobQueue queue = JobQueue.builder(dataSource).interceptor(context).build();
    MDC.put("requestId", "r-4711");
    queue.enqueue(SEND_MAIL, "hello", job -> job.header("tenant", "acme"));
    MDC.remove("requestId");
    return Worker.on(queue)
        .handle(SEND_MAIL, this::send)
        .queue("default", 5)
        .interceptor(context)
        .build();
  }

  // end of snippet

  @Test
  void contextReachesTheHandler() {
    withContext().runUntilIdle();
    assertThat(sent).containsExactly("hello r-4711 acme");
  }
}
