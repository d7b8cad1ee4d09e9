package dev.skipjack.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Relay;
import dev.skipjack.outbox.RelayStats;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when events are sent, with a producer whose acknowledgements the test controls. */
@QueueTest
class SendOrderTest {

  private Fixture fixture;

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void nextEventOfAnAggregateWaitsForTheAcknowledgement() throws Exception {
    List<UUID> ids = fixture.record(event(1), event(1), event(2), event(1));
    try (Relay relay = fixture.relay(KafkaPublisher.using(producer).build()).build().start()) {
      awaitSent(ids.get(0), ids.get(2));

      producer.completeNext();
      awaitSent(ids.get(0), ids.get(2), ids.get(1));

      producer.completeNext(); // the other aggregate's
      producer.completeNext();
      awaitSent(ids.get(0), ids.get(2), ids.get(1), ids.get(3));

      producer.completeNext();
      Fixture.await().until(() -> relay.stats().published() == 4);
    }
    assertThat(producer.closed()).as("the application's producer").isFalse();
  }

  @Test
  void laterEventsOfARejectedOneAreNotSent() throws Exception {
    List<UUID> ids = fixture.record(event(1), event(1), event(2), event(2), event(3));
    try (Relay relay = fixture.relay(KafkaPublisher.using(producer).build()).build().start()) {
      awaitSent(ids.get(0), ids.get(2), ids.get(4));

      producer.errorNext(new InvalidRecordException("timestamp"));
      producer.completeNext();
      producer.errorNext(new TopicAuthorizationException("order"));
      awaitSent(ids.get(0), ids.get(2), ids.get(4), ids.get(3));

      producer.completeNext();
      Fixture.await().until(() -> relay.stats().retried() == 2 && relay.stats().published() == 2);
      assertThat(relay.stats().outOfOrder()).isZero();
    }
    assertThat(fixture.errorOf(ids.get(0))).contains("topic 'order'", "timestamp");
    assertThat(fixture.errorOf(ids.get(4))).contains("may not write to topic 'order'");
    assertThat(fixture.errorOf(ids.get(1))).as("was not tried").isEqualTo("null");
  }

  @Test
  void attemptDoesNotCountIfTheBrokersDoNotRespond() throws Exception {
    List<UUID> ids = fixture.record(event(1));
    producer.sendException = new AuthenticationException("wrong password");
    RelayStats stats;
    try (Relay relay = fixture.relay(KafkaPublisher.using(producer).build()).build().start()) {
      Fixture.await().until(() -> relay.stats().outages() >= 2);
      producer.sendException = null;
      Fixture.await().until(() -> !producer.history().isEmpty());
      producer.completeNext();
      Fixture.await().until(() -> relay.stats().published() == 1);
      stats = relay.stats();
    }
    assertThat(stats.retried()).isZero();
    assertThat(producer.history().stream().map(SendOrderTest::id)).containsExactly(ids.get(0));
  }

  @Test
  void producerInAnErrorStateIsReplaced() throws Exception {
    producer.sendException =
        new KafkaException("Cannot execute transactional method because we are in an error state");
    MockProducer<byte[], byte[]> next =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    Iterator<Producer<byte[], byte[]>> producers =
        List.<Producer<byte[], byte[]>>of(producer, next).iterator();
    List<UUID> ids = fixture.record(event(1), event(2));
    KafkaPublisher publisher = new KafkaPublisher.Builder(producers::next, true).build();
    try (Relay relay = fixture.relay(publisher).build().start()) {
      Fixture.await().until(() -> relay.stats().published() == 2);
      assertThat(relay.stats().retried()).isZero();
    }

    assertThat(producer.closed()).isTrue();
    assertThat(next.history().stream().map(SendOrderTest::id)).containsExactlyElementsOf(ids);
    publisher.close();
    assertThat(next.closed()).isTrue();
  }

  @Test
  void producerOfTheApplicationIsNotReplaced() throws Exception {
    producer.sendException = new KafkaException("error state");
    fixture.record(event(1));
    try (Relay relay = fixture.relay(KafkaPublisher.using(producer).build()).build().start()) {
      Fixture.await().until(() -> relay.stats().outages() >= 2);
    }
    assertThat(producer.closed()).isFalse();
  }

  @Test
  void closedPublisherReportsThatItIsClosed() throws Exception {
    fixture.record(event(1));
    KafkaPublisher publisher = KafkaPublisher.using(producer).build();
    publisher.close();
    List<Exception> refusals = new ArrayList<>();
    fixture
        .relay(
            batch -> {
              try {
                return publisher.publish(batch);
              } catch (IllegalStateException refused) {
                refusals.add(refused);
                throw refused;
              }
            })
        .build()
        .runUntilIdle();
    assertThat(refusals).first().extracting(Exception::getMessage).asString().contains("closed");
  }

  @Test
  void attemptCountsIfTheBrokersHaveAcceptedOtherEvents() throws Exception {
    List<UUID> ids = fixture.record(event(1), event(2), event(2));
    try (Relay relay = fixture.relay(KafkaPublisher.using(producer).build()).build().start()) {
      awaitSent(ids.get(0), ids.get(1));

      producer.completeNext();
      producer.errorNext(new NotEnoughReplicasException("one replica"));
      Fixture.await().until(() -> relay.stats().retried() == 1 && relay.stats().published() == 1);
    }
    assertThat(fixture.errorOf(ids.get(1))).contains("topic 'order'", "one replica");
  }

  @Test
  void failureOfTheTopicFunctionCountsAsAnAttempt() throws Exception {
    List<UUID> ids = fixture.record(event(1));
    KafkaPublisher publisher =
        KafkaPublisher.using(producer)
            .topic(
                event -> {
                  throw new IllegalArgumentException("no topic for " + event.type());
                })
            .build();
    Relay relay = fixture.relay(publisher).build();

    relay.runUntilIdle();

    assertThat(relay.stats().retried()).isEqualTo(1);
    assertThat(fixture.errorOf(ids.get(0))).contains("no topic for placed");
  }

  @Test
  void failureOfEveryKindOfTheTopicFunctionCountsAsAnAttempt() throws Exception {
    List<UUID> ids = fixture.record(event(1), event(2));
    KafkaPublisher publisher =
        KafkaPublisher.using(producer)
            .topic(
                event -> {
                  throw sneaky(new Throwable("neither Exception nor Error"));
                })
            .build();
    Relay relay = fixture.relay(publisher).build();

    relay.runUntilIdle();

    assertThat(relay.stats().retried()).isEqualTo(2);
    assertThat(fixture.errorOf(ids.get(0))).contains("neither Exception nor Error");
  }

  @SuppressWarnings("unchecked") // the cast is erased
  private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** Otherwise the leases would expire, and another relay would send all events again. */
  @Test
  void acknowledgedEventsAreRecordedWhenTheTimeOfTheBatchEnds() throws Exception {
    List<UUID> ids = fixture.record(event(1), event(2));
    try (Relay relay =
        fixture
            .relay(KafkaPublisher.using(producer).build())
            .lease(Duration.ofSeconds(18))
            .publishTimeout(Duration.ofSeconds(1))
            .build()
            .start()) {
      awaitSent(ids.get(0), ids.get(1));

      producer.completeNext();

      Fixture.await().until(() -> relay.stats().published() == 1);
      assertThat(relay.stats().takenOver()).isZero();
    }
  }

  @Test
  void deliveryTimeoutIsReportedToTheRelay() {
    Map<String, Object> properties =
        Map.of("bootstrap.servers", "127.0.0.1:1", "delivery.timeout.ms", "600000");
    try (KafkaPublisher publisher = KafkaPublisher.to(properties).build()) {
      assertThat(publisher.longestWait()).isEqualTo(Duration.ofMinutes(10));
    }
    try (KafkaPublisher publisher = KafkaPublisher.using(producer).build()) {
      assertThat(publisher.longestWait()).as("unknown").isZero();
    }
  }

  @Test
  void producerWaitsForAMissingTopicOnce() throws Exception {
    AtomicInteger sends = new AtomicInteger();
    MockProducer<byte[], byte[]> waiting =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> record, Callback callback) {
            sends.incrementAndGet();
            throw new TimeoutException(
                "not present in metadata", new UnknownTopicOrPartitionException());
          }
        };
    List<UUID> ids = fixture.record(event(1), event(2), event(2), event(3));
    Relay relay = fixture.relay(KafkaPublisher.using(waiting).build()).build();

    relay.runUntilIdle();

    assertThat(sends).hasValue(1);
    assertThat(relay.stats().retried()).isEqualTo(3);
    assertThat(fixture.errorOf(ids.get(3))).contains("Topic 'order' does not exist");
  }

  private void awaitSent(UUID... ids) {
    Fixture.await()
        .untilAsserted(
            () ->
                assertThat(List.copyOf(producer.history()).stream().map(SendOrderTest::id))
                    .containsExactly(ids));
  }

  private static UUID id(ProducerRecord<byte[], byte[]> record) {
    return UUID.fromString(
        new String(record.headers().lastHeader(KafkaPublisher.EVENT_ID).value(), UTF_8));
  }

  private static Event event(Object order) {
    return Event.of("order", order, "placed");
  }
}
