package dev.skipjack.outbox.kafka;

import static org.apache.kafka.clients.producer.ProducerConfig.ACKS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.LINGER_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_BLOCK_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;
import static org.apache.kafka.clients.producer.ProducerConfig.PARTITIONER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.RETRIES_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTIONAL_ID_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Completes the properties of a producer, and refuses those that lose events or their order. */
final class ProducerProperties {

  /** Above this number of concurrent requests, an idempotent producer cannot keep the order. */
  private static final int MOST_REQUESTS = 5;

  static final Duration DEFAULT_DELIVERY_TIMEOUT = Duration.ofMinutes(2);
  static final Duration DEFAULT_LONGEST_BLOCK = Duration.ofMinutes(1);

  private ProducerProperties() {}

  /** Returns how long a producer with these properties tries to deliver a record. */
  static Duration deliveryTimeout(Map<String, Object> properties) {
    return millis(properties.get(DELIVERY_TIMEOUT_MS_CONFIG), DEFAULT_DELIVERY_TIMEOUT);
  }

  /** Returns how long a send may wait for metadata and memory. */
  static Duration longestBlock(Map<String, Object> properties) {
    return millis(properties.get(MAX_BLOCK_MS_CONFIG), DEFAULT_LONGEST_BLOCK);
  }

  private static Duration millis(@Nullable Object millis, Duration otherwise) {
    try {
      return millis == null
          ? otherwise
          : Duration.ofMillis(Long.parseLong(String.valueOf(millis).trim()));
    } catch (NumberFormatException invalid) { // the producer refuses it
      return otherwise;
    }
  }

  /**
   * @throws IllegalArgumentException if a property breaks the order or the durability
   */
  static Map<String, Object> complete(Map<String, ?> given) {
    refuseUnless(
        given,
        ENABLE_IDEMPOTENCE_CONFIG,
        "true"::equalsIgnoreCase,
        "the producer may store a record twice or in the wrong order",
        "Remove it, or set it to true.");
    refuseUnless(
        given,
        ACKS_CONFIG,
        acks -> acks.equals("all") || acks.equals("-1"),
        "a broker that fails may lose acknowledged events",
        "Remove it, or set it to all.");
    refuseUnless(
        given,
        MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
        text -> isAtMost(text, MOST_REQUESTS),
        "an idempotent producer keeps the order only up to 5",
        "Remove it, or set it to 1 to 5.");
    refuseUnless(
        given,
        RETRIES_CONFIG,
        retries -> !retries.equals("0"),
        "an idempotent producer needs retries",
        "Remove it, and set delivery.timeout.ms instead.");
    refuseUnless(
        given,
        PARTITIONER_IGNORE_KEYS_CONFIG,
        "false"::equalsIgnoreCase,
        "the events of an aggregate would be in different partitions",
        "Remove it.");
    refuseUnless(
        given,
        PARTITIONER_CLASS_CONFIG,
        name -> !name.equals(RoundRobinPartitioner.class.getName()),
        "the events of an aggregate would be in different partitions",
        "Remove it, or name a partitioner that maps the same key to the same partition.");
    refuseUnless(
        given,
        TRANSACTIONAL_ID_CONFIG,
        id -> false,
        "the publisher uses no transactions of Kafka",
        "Remove it.");
    refuseUnless(
        given,
        KEY_SERIALIZER_CLASS_CONFIG,
        ProducerProperties::isByteArraySerializer,
        "keys are bytes",
        "Remove it.");
    refuseUnless(
        given,
        VALUE_SERIALIZER_CLASS_CONFIG,
        ProducerProperties::isByteArraySerializer,
        "values are bytes",
        "Remove it.");

    Map<String, Object> complete = new HashMap<>(given);
    complete.put(ENABLE_IDEMPOTENCE_CONFIG, true);
    complete.put(ACKS_CONFIG, "all");
    complete.put(KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    complete.put(VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    complete.putIfAbsent(LINGER_MS_CONFIG, 0);
    complete.putIfAbsent(MAX_BLOCK_MS_CONFIG, 10_000);
    // The producer refuses a delivery timeout that is shorter than the given request timeout.
    if (!given.containsKey(DELIVERY_TIMEOUT_MS_CONFIG)
        && !given.containsKey(REQUEST_TIMEOUT_MS_CONFIG)
        && !given.containsKey(LINGER_MS_CONFIG)) {
      complete.put(DELIVERY_TIMEOUT_MS_CONFIG, 30_000);
      complete.put(REQUEST_TIMEOUT_MS_CONFIG, 15_000);
    }
    return complete;
  }

  private static void refuseUnless(
      Map<String, ?> given, String name, Predicate<String> isAllowed, String why, String fix) {
    Object value = given.get(name);
    String text = value instanceof Class<?> type ? type.getName() : String.valueOf(value).trim();
    if (value != null && !isAllowed.test(text)) {
      throw new IllegalArgumentException(
          "Property %s is '%s', but %s. %s".formatted(name, text, why, fix));
    }
  }

  private static boolean isAtMost(String text, int most) {
    try {
      return Integer.parseInt(text) <= most;
    } catch (NumberFormatException notANumber) {
      return false;
    }
  }

  private static boolean isByteArraySerializer(String name) {
    return name.equals(ByteArraySerializer.class.getName());
  }
}
