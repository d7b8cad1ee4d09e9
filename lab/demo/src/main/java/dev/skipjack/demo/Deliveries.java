package dev.skipjack.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * The deliveries of a run.
 *
 * @param count the number of deliveries
 * @param make makes the n-th delivery, counted from 0
 */
record Deliveries(long count, LongFunction<Delivery> make) {

  private static final List<String> REPOSITORIES =
      List.of("harbour/api", "harbour/web", "tidewater/billing", "nordlicht/größe", "mareé/docs");
  private static final List<String> SUBJECTS =
      List.of("Fix the race at startup", "Größere Puffer für den Import", "依存関係を更新", "Add a 🐟");

  /** Returns {@code count} generated deliveries. */
  static Deliveries generated(long count) {
    return new Deliveries(count, Deliveries::generate);
  }

  /**
   * Reads a file with one JSON object per line; blank lines are skipped.
   *
   * @param wanted the number of deliveries, for which the file is repeated or truncated and all
   *     deliveries get new ids; empty for the file as it is
   * @throws RefusedException if the file cannot be read, a line is invalid, or there is none
   */
  static Deliveries of(Path file, OptionalLong wanted) {
    List<Delivery> read = read(file);
    return wanted.isEmpty()
        ? new Deliveries(read.size(), number -> read.get((int) number))
        : new Deliveries(
            wanted.getAsLong(), number -> read.get((int) (number % read.size())).renamed());
  }

  private static List<Delivery> read(Path file) {
    if (Files.notExists(file)) {
      throw new RefusedException(file + ": no such file");
    }
    if (Files.isDirectory(file)) {
      throw new RefusedException(file + ": is a directory, not a file of JSON lines");
    }
    List<Delivery> read = new ArrayList<>();
    int line = 0;
    try {
      for (String text : Files.readAllLines(file)) {
        line++;
        if (!text.isBlank()) {
          read.add(Delivery.parse(text));
        }
      }
    } catch (IOException e) {
      throw new RefusedException(file + ": cannot be read: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new RefusedException(file + ":" + line + ": " + e.getMessage());
    }
    if (read.isEmpty()) {
      throw new RefusedException(file + ": holds no delivery");
    }
    return read;
  }

  private static Delivery generate(long number) {
    String repository = pick(REPOSITORIES, number / 3);
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("number", number);
    body.put("subject", pick(SUBJECTS, number)).put("score", number % 100 / 10.0).putNull("label");
    body.put("text", (pick(SUBJECTS, number / 7) + ".\n").repeat((int) (number % 20) + 1));
    body.putObject("repository").put("full_name", repository).put("private", number % 2 == 0);
    UUID id = UUID.randomUUID();
    if (number % 50 == 49) {
      return new Delivery(id, "security_advisory", "published", null, body);
    }
    return number % 2 == 0
        ? new Delivery(id, "push", null, repository, body)
        : new Delivery(id, "issues", "opened", repository, body);
  }

  private static String pick(List<String> choices, long number) {
    return choices.get((int) (number % choices.size()));
  }
}
