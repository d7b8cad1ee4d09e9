package dev.skipjack.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Relay;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Restarts the broker while a relay publishes events. */
@QueueTest
class BrokerRestartTest {

  private static final int AGGREGATES = 20;
  private static final int ROUNDS = 15;

  @Test
  void nothingIsMissedAndTheOrderHoldsAcrossARestart(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    Map<String, List<UUID>> expected = new HashMap<>();
    try (KafkaBroker broker = KafkaBroker.start()) {
      broker.createTopic("order", 3, Map.of());
      long unrecorded;
      // The producer waits longer than any restart takes, so it gives up on no record and sends
      // none twice.
      try (KafkaPublisher publisher = KafkaPublisher.to(broker.patientProducer()).build();
          Relay relay =
              fixture
                  .relay(publisher)
                  .threads(2)
                  .shards(16)
                  .batchSize(20)
                  .lease(Duration.ofMinutes(5))
                  .publishTimeout(Duration.ofMinutes(15))
                  .build()
                  .start()) {
        record(fixture, expected);
        Fixture.await().until(() -> relay.stats().published() > AGGREGATES);
        Thread recorder =
            new Thread(
                () -> {
                  for (int i = 1; i < ROUNDS; i++) {
                    record(fixture, expected);
                  }
                });
        recorder.start();
        broker.stop();
        recorder.join();
        assertThat(fixture.value("SELECT count(*) FROM @outbox_events"))
            .as("events that wait for the broker")
            .isNotEqualTo("0");
        Fixture.await()
            .ignoreExceptions() // another process may hold the port for a moment
            .until(
                () -> {
                  broker.restart();
                  return true;
                });
        Fixture.await()
            .until(() -> fixture.value("SELECT count(*) FROM @outbox_events").equals("0"));
        assertThat(relay.stats().outOfOrder()).isZero();
        unrecorded = relay.stats().unrecorded();
      }

      Map<String, Set<UUID>> arrived = new HashMap<>();
      List<ConsumerRecord<byte[], byte[]>> records = broker.records("order");
      for (ConsumerRecord<byte[], byte[]> each : records) {
        arrived
            .computeIfAbsent(Fixture.key(each), key -> new LinkedHashSet<>())
            .add(Fixture.eventId(each));
      }
      Map<String, List<UUID>> firstCopies = new HashMap<>();
      arrived.forEach((key, ids) -> firstCopies.put(key, List.copyOf(ids)));
      assertThat(firstCopies).isEqualTo(expected);
      int events = AGGREGATES * ROUNDS * 2;
      assertThat(records.size() - events)
          .as("duplicates, which the relay has counted")
          .isLessThanOrEqualTo((int) unrecorded);
    }
  }

  /** Records two events of each aggregate. */
  private static void record(Fixture fixture, Map<String, List<UUID>> expected) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 2 * AGGREGATES; i++) {
      events.add(Event.of("order", i % AGGREGATES, "changed"));
    }
    try {
      List<UUID> ids = fixture.record(events.toArray(Event[]::new));
      for (int i = 0; i < ids.size(); i++) {
        expected
            .computeIfAbsent(String.valueOf(i % AGGREGATES), key -> new ArrayList<>())
            .add(ids.get(i));
      }
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }
}
