package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.dedup.UniqueEnqueuer;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.RecordedEvent;
import dev.skipjack.outbox.Relay;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Tests the relay of an application whose class path contains the outbox. */
@QueueTest
class SkipjackRelayTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  static class Broker implements Publisher {
    private final List<String> types = new CopyOnWriteArrayList<>();

    @Override
    public List<PublishResult> publish(EventBatch batch) {
      return batch.events().stream().map(this::send).toList();
    }

    private PublishResult send(RecordedEvent event) {
      types.add(event.type());
      return PublishResult.sent();
    }
  }

  @Service
  static class Orders {
    private final EventRecorder events;

    Orders(EventRecorder events) {
      this.events = events;
    }

    // snippet: record
    @Transactional
    public void place(long order) {
      // ... save the order
      events.record(Event.of("order", order, "order-placed"));
    }
    // end of snippet
  }

  private final ApplicationContextRunner contexts;

  SkipjackRelayTest(QueueDatabase database) {
    this.contexts = Contexts.on(database).withBean(Orders.class);
  }

  private static void awaitPublished(ApplicationContext context, int events) {
    Broker broker = context.getBean(Broker.class);
    await().atMost(PATIENCE).until(() -> broker.types.size() == events);
  }

  @Test
  void relayPublishesTheEventsOfATransaction() {
    contexts
        .withBean(Broker.class)
        .run(
            context -> {
              context.getBean(Orders.class).place(1);
              awaitPublished(context, 1);
              assertThat(context.getBean(Broker.class).types).containsExactly("order-placed");
            });
  }

  @Test
  void noRelayStartsWithoutAPublisher() {
    contexts.run(
        context -> {
          assertThat(context).hasSingleBean(Outbox.class);
          assertThat(context.getBean(SkipjackRelay.class).relay()).isEmpty();
          assertThat(context.getBean(SkipjackRelay.class).build()).isEmpty();
        });
  }

  @Test
  void disabledRelayIsNotStarted() {
    contexts
        .withBean(Broker.class)
        .withPropertyValues("skipjack.outbox.relay.enabled=off")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(EventRecorder.class)
                    .doesNotHaveBean(SkipjackRelay.class));
  }

  @Test
  void relayStartsWhenTheApplicationStartsIt() {
    contexts
        .withBean(Broker.class)
        .withPropertyValues("skipjack.outbox.relay.auto-startup=false")
        .run(
            context -> {
              SkipjackRelay lifecycle = context.getBean(SkipjackRelay.class);
              assertThat(lifecycle.isRunning()).isFalse();
              context.getBean(Orders.class).place(1);
              try (Relay own = lifecycle.build().orElseThrow()) {
                own.runUntilIdle();
              }
              assertThat(context.getBean(Broker.class).types).hasSize(1);
              lifecycle.start();
              context.getBean(Orders.class).place(2);
              awaitPublished(context, 2);
            });
  }

  @Test
  void relayStopsWithTheContextAndStartsAgain() {
    contexts
        .withBean(Broker.class)
        .run(
            context -> {
              SkipjackRelay lifecycle = context.getBean(SkipjackRelay.class);
              Relay first = lifecycle.relay().orElseThrow();
              ConfigurableApplicationContext running = context;
              running.stop();
              assertThat(lifecycle.relay()).isEmpty();
              running.start();
              assertThat(lifecycle.relay()).isPresent().get().isNotSameAs(first);
              context.getBean(Orders.class).place(1);
              awaitPublished(context, 1);
            });
  }

  /** A handler and a publisher that wait until the test ends them. */
  static class Slow implements Publisher {
    static final JobType<String> KIND = JobType.of("slow", String.class);

    private final CountDownLatch running = new CountDownLatch(2);
    private final CountDownLatch ending = new CountDownLatch(1);
    private final AtomicInteger ended = new AtomicInteger();

    @JobHandler("slow")
    void run(String payload) throws InterruptedException {
      waitForTheEnd();
    }

    @Override
    public List<PublishResult> publish(EventBatch batch) throws InterruptedException {
      waitForTheEnd();
      return batch.events().stream().map(event -> PublishResult.sent()).toList();
    }

    private void waitForTheEnd() throws InterruptedException {
      running.countDown();
      ending.await();
      ended.incrementAndGet();
    }
  }

  @Test
  void relayStopsAtTheSameTimeAsTheWorker() {
    contexts
        .withBean(Slow.class)
        .withPropertyValues("skipjack.worker.drain-timeout=5m")
        .run(
            context -> {
              Slow slow = context.getBean(Slow.class);
              context.getBean(Jobs.class).enqueue(Slow.KIND, "");
              context.getBean(Orders.class).place(1);
              assertThat(slow.running.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
              SkipjackWorker worker = context.getBean(SkipjackWorker.class);
              SkipjackRelay relay = context.getBean(SkipjackRelay.class);
              ConfigurableApplicationContext closing = context;
              CompletableFuture<Void> closed = CompletableFuture.runAsync(closing::close);
              await().atMost(PATIENCE).until(() -> !worker.isRunning() && !relay.isRunning());
              slow.ending.countDown();
              assertThat(closed).succeedsWithin(PATIENCE);
              assertThat(slow.ended).as("not interrupted").hasValue(2);
            });
  }

  /** Spring waits a limited time for the beans of a phase to stop, and then destroys all beans. */
  @Test
  void theContextIsClosedWhenAHandlerHasEndedAfterSpringsTimeout() {
    contexts
        .withBean(Slow.class)
        .withBean(
            "lifecycleProcessor",
            DefaultLifecycleProcessor.class,
            () -> {
              DefaultLifecycleProcessor processor = new DefaultLifecycleProcessor();
              processor.setTimeoutPerShutdownPhase(1);
              return processor;
            })
        .run(
            context -> {
              Slow slow = context.getBean(Slow.class);
              context.getBean(Jobs.class).enqueue(Slow.KIND, "");
              context.getBean(Orders.class).place(1);
              assertThat(slow.running.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
              HikariDataSource pool = (HikariDataSource) context.getBean(DataSource.class);
              Thread closing = new Thread(((ConfigurableApplicationContext) context)::close);
              closing.start();
              // Spring destroys the worker or the relay, which waits until it has stopped.
              await()
                  .atMost(PATIENCE)
                  .until(
                      () ->
                          Stream.of(closing.getStackTrace())
                              .anyMatch(at -> at.getMethodName().equals("destroySingletons")));
              assertThat(pool.isClosed()).isFalse();
              slow.ending.countDown();
              closing.join(PATIENCE.toMillis());
              assertThat(pool.isClosed()).isTrue();
              assertThat(slow.ended).as("not interrupted").hasValue(2);
            });
  }

  @Test
  void severalPublishersAreRefusedUnlessOneIsPrimary() {
    ApplicationContextRunner two =
        contexts
            .withBean("first", Broker.class)
            .withBean("second", Publisher.class, () -> Publisher.each(e -> PublishResult.sent()));
    two.run(
        context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("several publishers of events: first, second. Mark the one"));
    contexts
        .withBean("first", Broker.class, Broker::new, bean -> bean.setPrimary(true))
        .withBean("second", Publisher.class, () -> Publisher.each(e -> PublishResult.sent()))
        .run(context -> assertThat(context).hasNotFailed());
  }

  @ParameterizedTest
  @CsvSource({
    "threads, 33, Threads 33 must be",
    "shards, 0, Shards 0 must be",
    "batch-size, 0, Batch size 0 must be",
    "lease, 2h, Lease PT2H must be",
    "publish-timeout, 2h, Publish timeout PT2H must be",
    "poll-interval, 1ms, Poll interval PT0.001S must be",
    "retention, -1s, Retention PT-1S must be",
    "max-attempts, 0, Max attempts 0 must be"
  })
  void anInvalidPropertyIsRefusedByName(String property, String value, String reason) {
    contexts
        .withBean(Broker.class)
        .withPropertyValues("skipjack.outbox.relay.%s=%s".formatted(property, value))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(
                        "Property 'skipjack.outbox.relay.%s' is invalid. %s"
                            .formatted(property, reason)));
  }

  @Test
  void relayUsesPropertiesAndThenCustomizers() {
    contexts
        .withBean(Broker.class)
        .withPropertyValues("skipjack.outbox.relay.name=by-property")
        .run(
            context ->
                assertThat(context.getBean(SkipjackRelay.class).relay().orElseThrow().name())
                    .isEqualTo("by-property"));
    contexts
        .withBean(Broker.class)
        .withBean(RelayCustomizer.class, () -> relay -> relay.name("by-customizer"))
        .withPropertyValues("skipjack.outbox.relay.name=by-property")
        .run(
            context ->
                assertThat(context.getBean(SkipjackRelay.class).relay().orElseThrow().name())
                    .isEqualTo("by-customizer"));
  }

  @Test
  void metersOfOutboxAndRelayArePublished() {
    contexts
        .withConfiguration(Contexts.micrometer())
        .withBean(Broker.class)
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues("skipjack.outbox.relay.name=measured")
        .run(
            context -> {
              context.getBean(Orders.class).place(1);
              MeterRegistry registry = context.getBean(MeterRegistry.class);
              await()
                  .atMost(PATIENCE)
                  .until(
                      () ->
                          registry
                                  .get("skipjack.relay.published")
                                  .tag("relay", "measured")
                                  .functionCounter()
                                  .count()
                              == 1);
              assertThat(registry.find("skipjack.outbox.lag").gauge()).isNotNull();
            });
  }

  @Test
  void theEndpointShowsTheOutbox() {
    contexts
        .withPropertyValues("management.endpoints.web.exposure.include=skipjack")
        .run(
            context -> {
              context.getBean(Orders.class).place(1);
              Object body = context.getBean(SkipjackEndpoint.class).list("outbox", null).getBody();
              assertThat(body)
                  .isInstanceOfSatisfying(
                      OutboxReport.class, report -> assertThat(report.unpublished()).isOne());
            });
  }

  @Test
  void applicationNeedsNeitherTheOutboxNorUniqueJobs(QueueDatabase database) {
    Contexts.on(database)
        .withBean(SignUps.Mails.class)
        .withPropertyValues("management.endpoints.web.exposure.include=skipjack")
        .withClassLoader(new FilteredClassLoader("dev.skipjack.outbox", "dev.skipjack.dedup"))
        .run(
            context -> {
              assertThat(context)
                  .hasNotFailed()
                  .hasSingleBean(Jobs.class)
                  .doesNotHaveBean(Outbox.class)
                  .doesNotHaveBean(UniqueEnqueuer.class);
              WebEndpointResponse<Object> response =
                  context.getBean(SkipjackEndpoint.class).list("outbox", null);
              assertThat(response.getStatus()).isEqualTo(WebEndpointResponse.STATUS_NOT_FOUND);
            });
  }
}
