package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.observation.CarriedContext;
import dev.skipjack.observation.ContextCarrier;
import dev.skipjack.observation.JobObservations;
import dev.skipjack.observation.LinkingTracingHandler;
import dev.skipjack.observation.MdcEntries;
import dev.skipjack.observation.ProcessContext;
import dev.skipjack.observation.ProcessConvention;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@QueueTest
class SkipjackObservationTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final JobType<String> SEE_TENANT = JobType.of("see-tenant", String.class);

  private final ApplicationContextRunner contexts;
  private final ApplicationContextRunner traced;

  SkipjackObservationTest(QueueDatabase database) {
    contexts = Contexts.on(database).withBean(Mails.class);
    traced =
        contexts
            .withConfiguration(Contexts.micrometer())
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withUserConfiguration(InMemoryTracing.class);
  }

  /** The beans that Spring Boot creates for an exporter of traces. */
  @Configuration(proxyBeanMethods = false)
  static class InMemoryTracing {

    @Bean
    InMemorySpanExporter exporter() {
      return InMemorySpanExporter.create();
    }

    @Bean
    OpenTelemetrySdk openTelemetry(InMemorySpanExporter exporter) {
      return OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
          .build();
    }

    @Bean
    Tracer tracer(OpenTelemetrySdk openTelemetry) {
      return new OtelTracer(
          openTelemetry.getTracer("test"), new OtelCurrentTraceContext(), event -> {});
    }

    @Bean
    Propagator propagator(OpenTelemetrySdk openTelemetry) {
      return new OtelPropagator(openTelemetry.getPropagators(), openTelemetry.getTracer("test"));
    }
  }

  /** Enqueues a job in a transaction of an observed caller. */
  private static void signUp(ApplicationContext context) {
    TransactionTemplate transaction =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    Observation.createNotStarted("sign-up", context.getBean(ObservationRegistry.class))
        .observe(
            () ->
                transaction.executeWithoutResult(
                    status ->
                        context
                            .getBean(Jobs.class)
                            .enqueue(Mails.SEND_WELCOME, new SendWelcome("ada"))));
  }

  private static SpanData span(ApplicationContext context, SpanKind kind) {
    List<SpanData> found =
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    context.getBean(InMemorySpanExporter.class).getFinishedSpanItems().stream()
                        .filter(span -> span.getKind() == kind)
                        .toList(),
                spans -> spans.size() == 1);
    return found.get(0);
  }

  @Test
  void aQuickAttemptIsAPartOfTheCallersTrace() {
    traced.run(
        context -> {
          signUp(context);
          SpanData caller = span(context, SpanKind.INTERNAL);
          SpanData enqueue = span(context, SpanKind.PRODUCER);
          SpanData process = span(context, SpanKind.CONSUMER);
          assertThat(enqueue.getParentSpanId()).isEqualTo(caller.getSpanId());
          assertThat(process.getParentSpanId()).isEqualTo(enqueue.getSpanId());
          assertThat(process.getTraceId()).isEqualTo(caller.getTraceId());
          assertThat(process.getName()).isEqualTo("process emails");
        });
  }

  @Test
  void aLaterAttemptHasALinkToTheEnqueue() {
    traced
        .withPropertyValues("skipjack.observation.child-within=0s")
        .run(
            context -> {
              signUp(context);
              SpanData enqueue = span(context, SpanKind.PRODUCER);
              SpanData process = span(context, SpanKind.CONSUMER);
              assertThat(process.getTraceId()).isNotEqualTo(enqueue.getTraceId());
              assertThat(process.getLinks())
                  .extracting(LinkData::getSpanContext)
                  .singleElement()
                  .satisfies(link -> assertThat(link.getSpanId()).isEqualTo(enqueue.getSpanId()));
            });
  }

  @Test
  void theHandlersOfOtherReceiversRemain() {
    traced.run(
        context ->
            assertThat(context.getBeansOfType(PropagatingReceiverTracingObservationHandler.class))
                .hasSize(2)
                .containsKey("skipjackLinkingTracingHandler"));
  }

  @Test
  void observationsAreTimersToo() {
    traced.run(
        context -> {
          signUp(context);
          MeterRegistry meters = context.getBean(MeterRegistry.class);
          await()
              .atMost(PATIENCE)
              .untilAsserted(
                  () ->
                      assertThat(meters.find("skipjack.process").timers())
                          .singleElement()
                          .satisfies(
                              timer ->
                                  assertThat(timer.getId().getTag("skipjack.outcome"))
                                      .isEqualTo("completed")));
          assertThat(meters.find("skipjack.enqueue").timer()).isNotNull();
        });
  }

  @Test
  void springBootsPropertyTurnsObservationsOff() {
    traced
        .withPropertyValues("management.observations.enable.skipjack=false")
        .run(
            context -> {
              signUp(context);
              await()
                  .atMost(PATIENCE)
                  .until(() -> context.getBean(Mails.class).sent().equals(List.of("ada")));
              assertThat(context.getBean(InMemorySpanExporter.class).getFinishedSpanItems())
                  .extracting(SpanData::getName)
                  .containsExactly("sign-up");
            });
  }

  static final class OwnConvention extends ProcessConvention {
    @Override
    public String getContextualName(ProcessContext context) {
      return "run " + context.job().kind();
    }
  }

  @Test
  void aConventionOfTheApplicationReplacesTheDefault() {
    traced
        .withBean(OwnConvention.class)
        .run(
            context -> {
              signUp(context);
              assertThat(span(context, SpanKind.CONSUMER).getName()).isEqualTo("run send-welcome");
              assertThat(span(context, SpanKind.PRODUCER).getName()).isEqualTo("enqueue emails");
            });
  }

  /** Carries the name of the current observation, as an example of context. */
  static final class CarriesCaller implements ContextCarrier {
    private final ObservationRegistry registry;
    private final List<String> restored = new CopyOnWriteArrayList<>();

    CarriesCaller(ObservationRegistry registry) {
      this.registry = registry;
    }

    private String current() {
      Observation current = registry.getCurrentObservation();
      return current == null ? "none" : String.valueOf(current.getContextView().getName());
    }

    @Override
    public Map<String, String> capture() {
      return Map.of("caller", current());
    }

    @Override
    public Restored restore(Map<String, String> headers) {
      restored.add(headers.get("caller") + " in " + current());
      return () -> {};
    }
  }

  @Test
  void carriersRestoreTheirContextInsideTheObservation() {
    traced
        .withBean(CarriesCaller.class)
        .run(
            context -> {
              signUp(context);
              await()
                  .atMost(PATIENCE)
                  .untilAsserted(
                      () ->
                          assertThat(context.getBean(CarriesCaller.class).restored)
                              .containsExactly("skipjack.enqueue in skipjack.process"));
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class CarriedEntries {
    // snippet: mdc
    @Bean
    MdcEntries requestId() {
      return MdcEntries.of("requestId");
    }
    // end of snippet
  }

  @Test
  void aBeanCarriesEntriesOfTheMdc() {
    contexts
        .withUserConfiguration(CarriedEntries.class)
        .run(context -> assertThat(context).hasSingleBean(CarriedContext.class));
  }

  static final class Tenant implements ContextCarrier {
    private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "none");

    @Override
    public Map<String, String> capture() {
      return Map.of("tenant", CURRENT.get());
    }

    @Override
    public Restored restore(Map<String, String> headers) {
      CURRENT.set(headers.getOrDefault("tenant", "none"));
      return CURRENT::remove;
    }
  }

  static final class SeesTenant {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @JobHandler(kind = "see-tenant")
    void see(String payload) {
      seen.add(Tenant.CURRENT.get());
    }
  }

  @Test
  void carriersNeedNoMicrometer() {
    contexts
        .withClassLoader(new FilteredClassLoader("io.micrometer"))
        .withBean(Tenant.class)
        .withBean(SeesTenant.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(CarriedContext.class);
              Tenant.CURRENT.set("acme");
              context.getBean(Jobs.class).enqueue(SEE_TENANT, "payload");
              Tenant.CURRENT.remove();
              await()
                  .atMost(PATIENCE)
                  .until(() -> context.getBean(SeesTenant.class).seen.equals(List.of("acme")));
            });
  }

  @Test
  void nothingIsObservedWithoutARegistry() {
    contexts.run(
        context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(JobObservations.class)
                .doesNotHaveBean(LinkingTracingHandler.class)
                .doesNotHaveBean(CarriedContext.class));
  }

  @Test
  void jobsAreObservedWithoutTracing() {
    contexts
        .withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
        .withBean(ObservationRegistry.class, ObservationRegistry::create)
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(JobObservations.class)
                    .doesNotHaveBean("skipjackLinkingTracingHandler"));
  }

  @Test
  void applicationRunsWithoutTheModule() {
    traced
        .withClassLoader(new FilteredClassLoader("dev.skipjack.observation"))
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean("skipjackObservations");
              signUp(context);
              await()
                  .atMost(PATIENCE)
                  .until(() -> context.getBean(Mails.class).sent().equals(List.of("ada")));
            });
  }
}
