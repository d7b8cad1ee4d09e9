package dev.skipjack.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.outbox.RecordedEvent;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Converts events to records. */
final class EventRecords {

  private static final Set<String> RESERVED =
      Set.of(
          KafkaPublisher.EVENT_ID,
          KafkaPublisher.EVENT_TYPE,
          KafkaPublisher.AGGREGATE_TYPE,
          KafkaPublisher.CONTENT_TYPE,
          KafkaPublisher.TRACEPARENT);

  private final Function<RecordedEvent, String> topics;

  EventRecords(Function<RecordedEvent, String> topics) {
    this.topics = topics;
  }

  /**
   * Returns the record of an event.
   *
   * @throws RuntimeException if the application's function throws an exception or returns null
   */
  ProducerRecord<byte[], byte[]> of(RecordedEvent event) {
    String topic = topics.apply(event);
    if (topic == null) {
      throw new IllegalStateException(
          "The function passed to topic(...) returned null. It must return a topic for every event.");
    }
    return new ProducerRecord<>(
        topic, null, event.aggregate().id().getBytes(UTF_8), event.payload(), headers(event));
  }

  private static Headers headers(RecordedEvent event) {
    Headers headers = new RecordHeaders();
    add(headers, KafkaPublisher.EVENT_ID, event.id().toString());
    add(headers, KafkaPublisher.EVENT_TYPE, event.type());
    add(headers, KafkaPublisher.AGGREGATE_TYPE, event.aggregate().type());
    add(headers, KafkaPublisher.CONTENT_TYPE, event.contentType());
    String traceparent = event.traceparent();
    if (traceparent != null) {
      add(headers, KafkaPublisher.TRACEPARENT, traceparent);
    }
    event
        .headers()
        .forEach(
            (name, value) -> {
              if (!RESERVED.contains(name)) {
                add(headers, name, value);
              }
            });
    return headers;
  }

  private static void add(Headers headers, String name, String value) {
    headers.add(name, value.getBytes(UTF_8));
  }
}
