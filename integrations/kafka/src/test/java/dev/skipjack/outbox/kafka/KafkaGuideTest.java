package dev.skipjack.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Relay;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the code of the section about Kafka in docs/guides/outbox.md. */
@QueueTest
class KafkaGuideTest {

  // snippet: kafka
  /** Sends the events of orders to the topic "orders", and others to "other-events". */
  KafkaPublisher publisher(String brokers) {
    return KafkaPublisher.to(Map.of("bootstrap.servers", brokers))
        .topic(event -> event.aggregate().type().equals("order") ? "orders" : "other-events")
        .build();
  }

  // end of snippet

  @Test
  void eventsGoToTheTopicsOfTheFunction(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    fixture.record(Event.of("order", 1, "placed"), Event.of("customer", 1, "moved"));
    KafkaBroker broker = KafkaBroker.shared();
    broker.createTopic("orders", 1, Map.of());
    broker.createTopic("other-events", 1, Map.of());
    try (KafkaPublisher publisher = publisher(broker.address());
        Relay relay = fixture.outbox.relay(publisher).build().start()) {
      Fixture.await().until(() -> relay.stats().published() == 2);
    }
    assertThat(broker.records("orders")).hasSize(1);
    assertThat(broker.records("other-events")).hasSize(1);
  }
}
