package dev.skipjack.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job to enqueue, described by a line of a file.
 *
 * @param number the number of the line, from 1
 * @param kind the kind of the job
 * @param payload the payload, exactly as in the line
 * @param options the validated options that the line sets
 */
record JobLine(int number, String kind, String payload, EnqueueOptions options) {

  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static final String MEMBERS =
      "kind, payload, queue, priority, max_attempts, delay_seconds, at, tags, idempotency_key, ordering_key, group and headers";

  /**
   * Reads a line.
   *
   * @param kind the kind of a line that names none; null if the line must name one
   * @throws IllegalArgumentException if the line does not describe a job; the message is a sentence
   */
  static JobLine of(int number, String line, @Nullable String kind) {
    try (JsonParser json = FACTORY.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("The line must be a JSON object.");
      }
      Members members = new Members();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        members.read(name, json, line);
      }
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("The line contains more than one JSON object.");
      }
      String chosen = members.kind == null ? kind : members.kind;
      if (chosen == null) {
        throw new IllegalArgumentException("The member kind is missing.");
      }
      if (members.payload == null) {
        throw new IllegalArgumentException("The member payload is missing.");
      }
      // JobType.of checks the name of the kind.
      return new JobLine(
          number, JobType.of(chosen, JobLine.class).kind(), members.payload, members.options);
    } catch (JsonProcessingException invalid) {
      throw new IllegalArgumentException(
          "The line is not valid JSON (column %d): %s."
              .formatted(invalid.getLocation().getColumnNr(), invalid.getOriginalMessage()),
          invalid);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static final class Members {

    private @Nullable String kind;
    private @Nullable String payload;
    private EnqueueOptions options = EnqueueOptions.none();

    void read(String name, JsonParser json, String line) throws IOException {
      switch (name) {
        case "kind" -> kind = text(name, json);
        case "payload" -> payload = raw(json, line);
        case "queue" -> options = options.onQueue(text(name, json));
        case "priority" -> options = options.priority(number(name, json));
        case "max_attempts" -> options = options.maxAttempts(number(name, json));
        case "delay_seconds" -> options = options.delay(Duration.ofSeconds(number(name, json)));
        case "at" -> options = options.at(instant(text(name, json)));
        case "tags" -> options = options.tags(texts(name, json));
        case "idempotency_key" -> options = options.idempotencyKey(text(name, json));
        case "ordering_key" -> options = options.orderingKey(text(name, json));
        case "group" -> options = options.group(text(name, json));
        case "headers" -> options = options.headers(headers(json));
        default ->
            throw new IllegalArgumentException(
                "The member '%s' is unknown. Known are %s.".formatted(Cell.safe(name), MEMBERS));
      }
    }

    private static String raw(JsonParser json, String line) throws IOException {
      int start = (int) json.currentTokenLocation().getCharOffset();
      json.skipChildren();
      // If the value is a number or a word, the parser's location may be past the end of the value.
      return json.currentToken().isScalarValue() && json.currentToken() != JsonToken.VALUE_STRING
          ? json.getText()
          : line.substring(start, end(json));
    }

    private static int end(JsonParser json) throws IOException {
      if (json.currentToken() == JsonToken.VALUE_STRING) {
        json.finishToken();
      }
      return (int) json.currentLocation().getCharOffset();
    }

    private static String text(String name, JsonParser json) throws IOException {
      if (json.currentToken() != JsonToken.VALUE_STRING) {
        throw new IllegalArgumentException("The member %s must be a string.".formatted(name));
      }
      return json.getText();
    }

    private static int number(String name, JsonParser json) throws IOException {
      if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
        throw new IllegalArgumentException("The member %s must be a whole number.".formatted(name));
      }
      return json.getIntValue();
    }

    private static List<String> texts(String name, JsonParser json) throws IOException {
      if (json.currentToken() != JsonToken.START_ARRAY) {
        throw new IllegalArgumentException(
            "The member %s must be an array of strings.".formatted(name));
      }
      List<String> texts = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        texts.add(text(name, json));
      }
      return texts;
    }

    private static Map<String, String> headers(JsonParser json) throws IOException {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("The member headers must be an object of strings.");
      }
      Map<String, String> headers = new LinkedHashMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        headers.put(name, text("headers." + Cell.safe(name), json));
      }
      return headers;
    }

    private static Instant instant(String text) {
      try {
        return Instant.parse(text);
      } catch (DateTimeException invalid) {
        throw new IllegalArgumentException(
            "The member at is '%s', but must be a time such as 2026-12-01T08:00:00Z."
                .formatted(Cell.safe(text)),
            invalid);
      }
    }
  }
}
