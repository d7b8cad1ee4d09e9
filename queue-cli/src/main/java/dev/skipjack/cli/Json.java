package dev.skipjack.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.skipjack.api.JobId;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON. A duration is written in seconds, an instant in ISO 8601, a job id as a number, and
 * an enum constant in lower case.
 */
final class Json {

  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** A JSON document from the database, copied unchanged. */
  record Raw(String json) {

    /** Returns the document, or null if there is none. */
    static @Nullable Raw of(@Nullable String json) {
      return json == null ? null : new Raw(json);
    }

    @Override
    public String toString() {
      return json;
    }
  }

  static String line(@Nullable Object document) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      write(json, document);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return escaped(text.toString());
  }

  /**
   * Returns the document with escapes for characters that a terminal could execute. Only strings
   * contain them.
   */
  private static String escaped(String document) {
    return Cell.UNSAFE
        .matcher(document)
        .replaceAll(
            found ->
                found
                    .group()
                    .chars()
                    .mapToObj("\\\\u%04x"::formatted)
                    .collect(Collectors.joining()));
  }

  private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Map<?, ?> members) {
      json.writeStartObject();
      for (Map.Entry<?, ?> member : members.entrySet()) {
        json.writeFieldName(String.valueOf(member.getKey()));
        write(json, member.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof Collection<?> elements) {
      json.writeStartArray();
      for (Object element : elements) {
        write(json, element);
      }
      json.writeEndArray();
    } else if (value instanceof Raw raw) {
      json.writeRawValue(raw.json());
    } else if (value instanceof Boolean known) {
      json.writeBoolean(known);
    } else if (value instanceof JobId id) {
      json.writeNumber(id.value());
    } else if (value instanceof Duration duration) {
      // The duration until a very distant stored time may have too many milliseconds for a long.
      BigDecimal seconds =
          BigDecimal.valueOf(duration.toSeconds())
              .add(BigDecimal.valueOf(duration.toMillisPart(), 3));
      json.writeNumber(seconds.stripTrailingZeros().toPlainString());
    } else if (value instanceof Number number) {
      json.writeNumber(number.toString());
    } else if (value instanceof Enum<?> constant) {
      json.writeString(Cell.literal(constant));
    } else {
      json.writeString(value.toString());
    }
  }
}
