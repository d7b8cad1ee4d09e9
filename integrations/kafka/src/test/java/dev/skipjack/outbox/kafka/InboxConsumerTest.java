package dev.skipjack.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.Inbox;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a consumer that uses the inbox while relays publish events twice and consumers crash. */
@QueueTest
class InboxConsumerTest {

  private static final int EVENTS = 60;

  private final KafkaBroker broker = KafkaBroker.shared();
  private Fixture fixture;
  private QueueDatabase database;
  private Inbox inbox;

  @BeforeEach
  void connect(QueueDatabase database) throws SQLException {
    this.database = database;
    fixture = new Fixture(database);
    inbox = Inbox.on(fixture.queue, "shipping");
    execute("CREATE TABLE @shipments (event_id uuid NOT NULL, aggregate text NOT NULL)");
    broker.createTopic("shipped-order", 2, Map.of());
  }

  @AfterEach
  void dropShipments() throws SQLException {
    execute("DROP TABLE @shipments");
  }

  @Test
  void consumerProcessesEachEventOnce() throws Exception {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      events.add(Event.of("shipped-order", i % 10, "placed"));
    }
    Set<UUID> recorded = Set.copyOf(fixture.record(events.toArray(Event[]::new)));
    publishSomeEventsTwice();
    int records = broker.records("shipped-order").size();
    assertThat(records).as("records, with duplicates").isGreaterThan(EVENTS);

    int beforeTheCrash = consume(EVENTS / 2, false);
    int afterwards = consume(records, true);

    assertThat(beforeTheCrash + afterwards)
        .as("the first consumer has committed no offsets")
        .isGreaterThan(records);
    assertThat(fixture.value("SELECT count(*) FROM @shipments")).isEqualTo("" + EVENTS);
    assertThat(fixture.value("SELECT count(DISTINCT event_id) FROM @shipments"))
        .isEqualTo("" + recorded.size());
  }

  /** Publishes all events, but reports a failure after the first batch was sent. */
  private void publishSomeEventsTwice() throws InterruptedException {
    AtomicBoolean hasFailed = new AtomicBoolean();
    try (KafkaPublisher kafka = KafkaPublisher.to(broker.patientProducer()).build()) {
      Publisher publisher =
          (EventBatch batch) -> {
            var results = kafka.publish(batch);
            if (hasFailed.compareAndSet(false, true)) {
              throw new IOException("The connection was lost");
            }
            return results;
          };
      Relay relay = fixture.relay(publisher).build();
      relay.runUntilIdle();
      assertThat(relay.stats().published()).isEqualTo(EVENTS);
    }
  }

  /**
   * Consumes at least the given number of records.
   *
   * @param commits whether the offsets are committed; false simulates a crash
   */
  private int consume(int atLeast, boolean commits) throws SQLException {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers",
            broker.address(),
            "group.id",
            "shipping",
            "enable.auto.commit",
            false,
            "max.poll.records",
            10,
            "auto.offset.reset",
            "earliest");
    int consumed = 0;
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(Set.of("shipped-order"));
      long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
      while (consumed < atLeast) {
        assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
        for (ConsumerRecord<byte[], byte[]> record : records) {
          ship(record);
          consumed++;
        }
        if (commits) {
          consumer.commitSync();
        }
      }
    }
    return consumed;
  }

  private void ship(ConsumerRecord<byte[], byte[]> record) throws SQLException {
    UUID event = Fixture.eventId(record);
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      inbox.once(
          connection,
          event,
          () -> {
            try (PreparedStatement insert =
                connection.prepareStatement(
                    fixture.inSchema("INSERT INTO @shipments VALUES (?, ?)"))) {
              insert.setObject(1, event);
              insert.setString(2, Fixture.key(record));
              insert.executeUpdate();
            }
          });
      connection.commit();
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        PreparedStatement statement = connection.prepareStatement(fixture.inSchema(sql))) {
      statement.execute();
    }
  }
}
