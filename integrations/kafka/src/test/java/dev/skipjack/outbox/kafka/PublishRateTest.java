package dev.skipjack.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Relay;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measures how fast a relay publishes to one broker, which runs in the same JVM. */
@QueueTest
@Tag("soak")
class PublishRateTest {

  private static final int EVENTS = 30_000;
  private static final int CHUNK = 1_000;

  @ParameterizedTest
  @ValueSource(ints = {1_000, 1_000, 1_000, 20})
  void relayPublishesAllEvents(int aggregates, QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    String topic = "rate-" + System.nanoTime();
    try (KafkaBroker broker = KafkaBroker.start()) {
      broker.createTopic(topic, 6, Map.of());
      for (int first = 0; first < EVENTS; first += CHUNK) {
        fixture.record(
            IntStream.range(first, first + CHUNK)
                .mapToObj(i -> Event.of(topic, i % aggregates, "placed").payload(Map.of("n", i)))
                .toArray(Event[]::new));
      }
      try (KafkaPublisher publisher =
              KafkaPublisher.to(Map.of("bootstrap.servers", broker.address())).build();
          Relay relay = fixture.relay(publisher).threads(2).shards(16).build()) {
        long start = System.nanoTime();
        relay.start();
        Fixture.await().until(() -> relay.stats().published() == EVENTS);
        double seconds = (System.nanoTime() - start) / 1e9;

        assertThat(relay.stats().outOfOrder()).isZero();
        System.out.printf(
            "%,d events of %,d aggregates: %,.0f events/s%n", EVENTS, aggregates, EVENTS / seconds);
      }
    }
  }
}
