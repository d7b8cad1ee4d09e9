package dev.skipjack.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.DeadEvent;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Relay;
import dev.skipjack.outbox.RelayStats;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishes events of a real outbox to a real broker. */
@QueueTest
class KafkaPublisherTest {

  private KafkaBroker broker;

  private Fixture fixture;

  @BeforeEach
  void connect(QueueDatabase database) {
    broker = KafkaBroker.shared();
    fixture = new Fixture(database);
  }

  @Test
  void recordHasKeyHeadersAndPayload() throws Exception {
    broker.createTopic("headers", 1, Map.of());
    UUID id =
        fixture
            .record(
                Event.of("headers", "Zürich 1", "order-placed")
                    .payload(new byte[] {0, -1, 7}, "application/avro")
                    .header("tenant", "größe")
                    .header(KafkaPublisher.EVENT_ID, "not this one")
                    .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
            .get(0);

    assertThat(publish(Map.of()).published()).isEqualTo(1);

    List<ConsumerRecord<byte[], byte[]>> records = broker.records("headers");
    assertThat(records).hasSize(1);
    ConsumerRecord<byte[], byte[]> record = records.get(0);
    assertThat(record.key()).isEqualTo("Zürich 1".getBytes(UTF_8));
    assertThat(record.value()).isEqualTo(new byte[] {0, -1, 7});
    assertThat(record.headers()).hasSize(6);
    assertThat(Fixture.headers(record))
        .containsEntry(KafkaPublisher.EVENT_ID, id.toString())
        .containsEntry(KafkaPublisher.EVENT_TYPE, "order-placed")
        .containsEntry(KafkaPublisher.AGGREGATE_TYPE, "headers")
        .containsEntry(KafkaPublisher.CONTENT_TYPE, "application/avro")
        .containsEntry(
            KafkaPublisher.TRACEPARENT, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .containsEntry("tenant", "größe");
  }

  @Test
  void eventsOfAnAggregateStayInOrderInOnePartition() throws Exception {
    broker.createTopic("order", 4, Map.of());
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      events.add(Event.of("order", i % 40, "changed"));
    }
    List<UUID> ids = fixture.record(events.toArray(Event[]::new));

    RelayStats stats = publish(Map.of());

    assertThat(stats.published()).isEqualTo(600);
    assertThat(stats.outOfOrder()).isZero();
    Map<String, List<UUID>> expected = new HashMap<>();
    for (int i = 0; i < 600; i++) {
      expected.computeIfAbsent(String.valueOf(i % 40), key -> new ArrayList<>()).add(ids.get(i));
    }
    Map<String, List<UUID>> arrived = new HashMap<>();
    Map<String, Set<Integer>> partitions = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.records("order")) {
      String key = Fixture.key(record);
      arrived.computeIfAbsent(key, each -> new ArrayList<>()).add(Fixture.eventId(record));
      partitions.computeIfAbsent(key, each -> new HashSet<>()).add(record.partition());
    }
    assertThat(arrived).isEqualTo(expected);
    assertThat(partitions.values()).allSatisfy(each -> assertThat(each).hasSize(1));
    assertThat(Set.copyOf(partitions.values())).as("several partitions").hasSizeGreaterThan(1);
  }

  /** With the first limit, the topic rejects the event; with the second one, the producer does. */
  @ParameterizedTest
  @ValueSource(strings = {"max.message.bytes", "max.request.size"})
  void eventThatIsTooLargeIsDeadAndOnlyItsAggregateWaits(String limit) throws Exception {
    boolean byTopic = limit.equals("max.message.bytes");
    broker.createTopic(limit, 1, byTopic ? Map.of(limit, "2000") : Map.of());
    List<UUID> ids =
        fixture.record(
            Event.of(limit, 1, "placed"),
            Event.of(limit, 1, "annotated").payload("x".repeat(9_000)),
            Event.of(limit, 1, "paid"),
            Event.of(limit, 2, "placed"));

    RelayStats stats = publish(byTopic ? Map.of() : Map.of(limit, 2_000));

    assertThat(stats.published()).isEqualTo(2);
    assertThat(stats.died()).isEqualTo(1);
    assertThat(stats.outOfOrder()).isZero();
    assertThat(broker.records(limit).stream().map(Fixture::eventId))
        .containsExactlyInAnyOrder(ids.get(0), ids.get(3));
    List<DeadEvent> dead = fixture.outbox.admin().dead(10);
    assertThat(dead).hasSize(1);
    assertThat(dead.get(0).id()).isEqualTo(ids.get(1));
    assertThat(dead.get(0).reason())
        .contains("9,002 bytes", "'" + limit + "'", "Raise " + "max.message.bytes");
  }

  @Test
  void eventWaitsForItsTopicWhileOthersArePublished() throws Exception {
    broker.createTopic("present", 1, Map.of());
    UUID waiting = fixture.record(Event.of("missing", 1, "placed")).get(0);
    fixture.record(Event.of("present", 1, "placed"), Event.of("present", 2, "placed"));

    try (KafkaPublisher publisher = publisher(Map.of("max.block.ms", 2_000)).build();
        Relay relay = retrying(publisher).start()) {
      Fixture.await().until(() -> relay.stats().published() == 2);
      Fixture.await()
          .untilAsserted(
              () ->
                  assertThat(fixture.errorOf(waiting))
                      .contains("Topic 'missing' does not exist. Create it"));
    }

    broker.createTopic("missing", 1, Map.of());
    try (KafkaPublisher publisher = publisher(Map.of()).build();
        Relay relay = retrying(publisher).start()) {
      Fixture.await().until(() -> relay.stats().published() == 1);
    }
    assertThat(broker.records("missing").stream().map(Fixture::eventId)).containsExactly(waiting);
  }

  @Test
  void invalidNameOfATopicIsReported() throws Exception {
    UUID id = fixture.record(Event.of("a/b", 1, "placed")).get(0);

    assertThat(publish(Map.of()).retried()).isEqualTo(1);

    assertThat(fixture.errorOf(id)).contains("'a/b' is not a valid name of a topic");
  }

  private Relay retrying(KafkaPublisher publisher) {
    return fixture
        .relay(publisher)
        .backoff(Backoff.fixed(Duration.ofMillis(500)))
        .maxAttempts(10_000)
        .build();
  }

  private RelayStats publish(Map<String, ?> properties) throws InterruptedException {
    try (KafkaPublisher publisher = publisher(properties).build()) {
      Relay relay = fixture.relay(publisher).build();
      relay.runUntilIdle();
      return relay.stats();
    }
  }

  private KafkaPublisher.Builder publisher(Map<String, ?> properties) {
    Map<String, Object> all = new HashMap<>(broker.patientProducer());
    all.putAll(properties);
    return KafkaPublisher.to(all);
  }
}
