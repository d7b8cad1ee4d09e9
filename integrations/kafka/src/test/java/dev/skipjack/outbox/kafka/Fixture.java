package dev.skipjack.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** An outbox and the steps that the tests share. */
final class Fixture {

  final QueueDatabase database;
  final JobQueue queue;
  final Outbox outbox;

  Fixture(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    this.outbox = Outbox.on(queue);
  }

  /** Returns a builder of a relay that retries after an hour. */
  Relay.Builder relay(Publisher publisher) {
    return outbox.relay(publisher).shards(32).backoff(Backoff.fixed(Duration.ofHours(1)));
  }

  /** Records events in a transaction of their own. */
  List<UUID> record(Event... events) throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      List<UUID> ids = outbox.in(connection).recordAll(List.of(events));
      connection.commit();
      return ids;
    }
  }

  /** Returns the only value of a query, as text. */
  String value(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      Assertions.assertThat(row.next()).as(sql).isTrue();
      return String.valueOf(row.getString(1));
    }
  }

  /** Replaces each {@code @} in a statement with the schema's prefix. */
  String inSchema(String sql) {
    return sql.replace("@", "\"" + database.schema() + "\".");
  }

  String errorOf(UUID id) throws SQLException {
    return value("SELECT last_error FROM @outbox_events WHERE event_id = '%s'".formatted(id));
  }

  static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(2));
  }

  static String key(ConsumerRecord<byte[], byte[]> record) {
    return new String(record.key(), UTF_8);
  }

  static UUID eventId(ConsumerRecord<byte[], byte[]> record) {
    return UUID.fromString(headers(record).get(KafkaPublisher.EVENT_ID));
  }

  static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
    Map<String, String> headers = new HashMap<>();
    record.headers().forEach(each -> headers.put(each.key(), new String(each.value(), UTF_8)));
    return headers;
  }
}
