package dev.skipjack.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A webhook delivery, as received from its sender.
 *
 * @param delivery the id, which is the same if the delivery is sent twice
 * @param event the type of event, for example {@code push}
 * @param action what happened, for events with several possible actions
 * @param repository where it happened; null for events that concern a whole organisation
 * @param payload the body
 */
record Delivery(
    UUID delivery,
    String event,
    @Nullable String action,
    @Nullable String repository,
    ObjectNode payload) {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // Numbers are kept as they were sent, not rounded to the nearest double.
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private static final Set<String> URGENT_EVENTS = Set.of("security_advisory", "dependabot_alert");

  /** Requires the fields that every delivery has. */
  @SuppressWarnings("ConstantValue") // Jackson passes null for a missing field
  Delivery {
    if (delivery == null || event == null || payload == null) {
      throw new IllegalArgumentException("'delivery', 'event' and 'payload' are required");
    }
  }

  /**
   * Parses a line of JSON. Refuses unknown fields.
   *
   * @throws IllegalArgumentException if the line is invalid; the message is meant for the sender
   */
  static Delivery parse(String line) {
    try {
      return JSON.readValue(line, Delivery.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "not a delivery: " + e.getOriginalMessage().lines().findFirst().orElse(""), e);
    }
  }

  /** Returns the priority of the delivery's job. Alerts are handled before ordinary deliveries. */
  int priority() {
    return URGENT_EVENTS.contains(event) ? 10 : 0;
  }

  /** Returns a delivery with the same content and a new id. */
  Delivery renamed() {
    return new Delivery(UUID.randomUUID(), event, action, repository, payload);
  }
}
