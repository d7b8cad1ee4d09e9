package dev.skipjack.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProducerPropertiesTest {

  private static final Map<String, Object> BROKERS = Map.of("bootstrap.servers", "127.0.0.1:1");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          enable.idempotence | false | set it to true
          acks | 1 | set it to all
          max.in.flight.requests.per.connection | 6 | set it to 1 to 5
          max.in.flight.requests.per.connection | many | set it to 1 to 5
          retries | 0 | delivery.timeout.ms
          partitioner.ignore.keys | true | Remove it
          partitioner.class | org.apache.kafka.clients.producer.RoundRobinPartitioner | same partition
          transactional.id | orders | Remove it
          key.serializer | org.apache.kafka.common.serialization.StringSerializer | Remove it
          value.serializer | org.apache.kafka.common.serialization.StringSerializer | Remove it
          """)
  void propertyThatBreaksOrderOrDurabilityIsRefused(String name, String value, String fix) {
    assertThatThrownBy(() -> KafkaPublisher.to(Map.of(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Property %s is '%s'".formatted(name, value))
        .hasMessageContaining(fix);
  }

  @Test
  void classesAreRecognizedToo() {
    assertThatThrownBy(() -> KafkaPublisher.to(Map.of("key.serializer", StringSerializer.class)))
        .hasMessageContaining("key.serializer");
    assertThat(ProducerProperties.complete(Map.of("key.serializer", ByteArraySerializer.class)))
        .containsEntry("key.serializer", ByteArraySerializer.class);
  }

  @Test
  void allowedValuesAreKeptAndOthersCompleted() {
    assertThat(
            ProducerProperties.complete(
                Map.of("acks", -1, "max.in.flight.requests.per.connection", 5, "linger.ms", 3)))
        .containsEntry("acks", "all")
        .containsEntry("enable.idempotence", true)
        .containsEntry("max.in.flight.requests.per.connection", 5)
        .containsEntry("linger.ms", 3)
        .containsEntry("max.block.ms", 10_000)
        .doesNotContainKey("delivery.timeout.ms");
    assertThat(ProducerProperties.complete(BROKERS))
        .containsEntry("bootstrap.servers", "127.0.0.1:1")
        .containsEntry("linger.ms", 0)
        .containsEntry("delivery.timeout.ms", 30_000);
  }

  @Test
  void producerIsCreatedWithTheCompletedProperties() {
    try (KafkaPublisher publisher = KafkaPublisher.to(BROKERS).build()) {
      assertThat(publisher).isNotNull();
    }
  }
}
