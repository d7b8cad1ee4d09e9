package dev.skipjack.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code skipjack workers}. */
@Command(
    name = "workers",
    description = {
      "List the workers that were seen within about the last day.",
      "A worker that was stopped normally is not listed. Workers report once a minute: one that has not been seen for 3 minutes is stale; it was killed, hangs, or cannot reach the database."
    })
final class WorkersCommand extends QueueAction {

  private static final Fields<WorkerInfo> WORKER =
      Fields.<WorkerInfo>none()
          .and("worker", WorkerInfo::name)
          .and("host", WorkerInfo::host)
          .and("pid", WorkerInfo::pid)
          .and("version", worker -> Reported.of(worker).version())
          .andText("state", worker -> worker.isAlive() ? "alive" : "stale")
          .andJson("alive", WorkerInfo::isAlive)
          .and("seen_ago_seconds", WorkerInfo::silentFor)
          .andApart("seen_at", WorkerInfo::seenAt)
          .and("started_at", WorkerInfo::startedAt)
          .andText("slots", WorkersCommand::slots)
          .andJson("slots", worker -> Reported.of(worker).slots())
          .andJson("queues", WorkerInfo::queues)
          .and("kinds", WorkerInfo::kinds)
          .andJson("boot_id", WorkerInfo::bootId)
          .andJson("settings", worker -> Json.Raw.of(worker.settings()));

  WorkersCommand() {
    super(Access.READ);
  }

  @Override
  int run(JobQueue queue, Output output) {
    return output.listOrNote(
        "workers", WORKER, queue.reader().workers(), "No worker was seen within the last day.");
  }

  private static String slots(WorkerInfo worker) {
    Map<String, Integer> slots = Reported.of(worker).slots();
    return slots.isEmpty()
        ? String.join(", ", worker.queues())
        : slots.entrySet().stream()
            .map(queue -> queue.getKey() + " " + queue.getValue())
            .collect(Collectors.joining(", "));
  }

  /**
   * The settings that a worker has reported, if any.
   *
   * @param slots the number of slots of each queue
   */
  private record Reported(@Nullable String version, Map<String, Integer> slots) {

    private static final JsonFactory JSON = new JsonFactory();

    static Reported of(WorkerInfo worker) {
      String version = null;
      Map<String, Integer> slots = new LinkedHashMap<>();
      String settings = worker.settings();
      if (settings == null) {
        return new Reported(null, slots);
      }
      try (JsonParser json = JSON.createParser(settings)) {
        json.nextToken();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          String name = json.currentName();
          json.nextToken();
          switch (name) {
            case "version" -> version = json.getText();
            case "concurrency" -> readSlots(json, slots);
            default -> json.skipChildren();
          }
        }
      } catch (IOException otherForm) {
        return new Reported(version, slots);
      }
      return new Reported(version, slots);
    }

    private static void readSlots(JsonParser json, Map<String, Integer> slots) throws IOException {
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String queue = json.currentName();
        slots.put(queue, json.nextIntValue(0));
      }
    }
  }
}
