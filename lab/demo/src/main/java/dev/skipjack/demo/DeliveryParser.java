package dev.skipjack.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Iterator;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parses a delivery from a line of JSON. Refuses unknown fields. */
final class DeliveryParser {

  /**
   * Limits events and repositories, because the demo counts by them and PostgreSQL limits the size
   * of index entries.
   */
  private static final int LONGEST_WORD = 255;

  private static final Set<String> FIELDS =
      Set.of("delivery", "event", "action", "repository", "payload");

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // Numbers are kept as they were sent, not rounded to the nearest double.
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private DeliveryParser() {}

  /**
   * Parses a delivery.
   *
   * @throws IllegalArgumentException if the line is invalid; the message is meant for the sender
   */
  static Delivery parse(String line) {
    JsonNode object = object(line);
    for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!FIELDS.contains(name)) {
        throw new IllegalArgumentException("unknown field '%s'".formatted(printable(name)));
      }
    }
    return new Delivery(
        uuid(required(object, "delivery")),
        word(required(object, "event"), "event"),
        optionalWord(object, "action"),
        optionalWord(object, "repository"),
        payload(required(object, "payload")));
  }

  private static JsonNode object(String line) {
    JsonNode parsed;
    try {
      parsed = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "not JSON: %s (column %d)"
              .formatted(
                  printable(e.getOriginalMessage()),
                  e.getLocation() == null ? 1 : e.getLocation().getColumnNr()),
          e);
    }
    if (!parsed.isObject()) {
      throw new IllegalArgumentException("not a JSON object but " + kind(parsed));
    }
    return parsed;
  }

  private static JsonNode required(JsonNode object, String field) {
    JsonNode value = object.get(field);
    if (value == null) {
      throw new IllegalArgumentException("field '%s' is missing".formatted(field));
    }
    return value;
  }

  private static UUID uuid(JsonNode value) {
    String text = value.isTextual() ? value.textValue() : "";
    try {
      UUID uuid = UUID.fromString(text);
      // fromString also takes shortened ones.
      if (uuid.toString().equalsIgnoreCase(text)) {
        return uuid;
      }
    } catch (IllegalArgumentException e) {
      // The message below covers this case too.
    }
    throw new IllegalArgumentException(
        "field 'delivery' must be a UUID, not "
            + (value.isTextual() ? "'" + printable(text) + "'" : kind(value)));
  }

  private static @Nullable String optionalWord(JsonNode object, String field) {
    JsonNode value = object.get(field);
    return value == null || value.isNull() ? null : word(value, field);
  }

  private static String word(JsonNode value, String field) {
    if (!value.isTextual()) {
      throw new IllegalArgumentException(
          "field '%s' must be text, not %s".formatted(field, kind(value)));
    }
    String text = value.textValue();
    if (text.isBlank() || text.length() > LONGEST_WORD) {
      throw new IllegalArgumentException(
          "field '%s' must have 1 to %d characters, not %d"
              .formatted(field, LONGEST_WORD, text.strip().length()));
    }
    return text;
  }

  private static JsonNode payload(JsonNode value) {
    if (!value.isObject()) {
      throw new IllegalArgumentException("field 'payload' must be an object, not " + kind(value));
    }
    return value;
  }

  private static String kind(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT -> "an object";
      case ARRAY -> "an array";
      case STRING -> "text";
      case NUMBER -> "a number";
      case BOOLEAN -> "true or false";
      default -> "null";
    };
  }

  /** Returns the text as one short line without control characters. */
  private static String printable(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ");
    return line.length() > 120 ? line.substring(0, 120) + "..." : line;
  }
}
