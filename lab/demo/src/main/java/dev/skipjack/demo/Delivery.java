package dev.skipjack.demo;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
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

  private static final long GENERATED = 1_000;
  private static final JsonMapper JSON = new JsonMapper();

  @SuppressWarnings("ConstantValue") // Jackson passes null for a missing field
  Delivery {
    if (delivery == null || event == null || payload == null) {
      throw new IllegalArgumentException("'delivery', 'event' and 'payload' are required");
    }
  }

  /**
   * Returns the deliveries that a run sends.
   *
   * @throws RefusedException if the file cannot be read, a line is invalid, or there is none
   */
  static Stream<Delivery> input(DemoOptions options) {
    if (options.resume()) {
      return Stream.empty();
    }
    if (options.input() == null) {
      long count = options.jobs() == null ? GENERATED : options.jobs();
      return LongStream.range(0, count).mapToObj(Delivery::generate);
    }
    List<Delivery> read = read(options.input());
    return options.jobs() == null
        ? read.stream()
        : LongStream.range(0, options.jobs())
            .mapToObj(number -> read.get((int) (number % read.size())).renamed());
  }

  /** Reads a file with one JSON object per line; blank lines are skipped. */
  private static List<Delivery> read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new RefusedException(file + ": no such file");
    }
    List<Delivery> read = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(file)) {
        if (!line.isBlank()) {
          read.add(JSON.readValue(line, Delivery.class));
        }
      }
    } catch (IOException e) {
      throw new RefusedException(
          "%s: delivery %d cannot be read: %s"
              .formatted(file, read.size() + 1, String.valueOf(e.getMessage()).split("\n", 2)[0]));
    }
    if (read.isEmpty()) {
      throw new RefusedException(file + ": contains no delivery");
    }
    return read;
  }

  private Delivery renamed() {
    return new Delivery(UUID.randomUUID(), event, action, repository, payload);
  }

  private static Delivery generate(long number) {
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("number", number);
    body.put("text", "Größere Puffer, 依存関係, 🐟\n".repeat((int) (number % 20) + 1)).putNull("label");
    return number % 50 == 49
        ? new Delivery(UUID.randomUUID(), "security_advisory", "published", null, body)
        : new Delivery(UUID.randomUUID(), "push", null, "nordlicht/größe", body);
  }
}
