package dev.skipjack.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.skipjack.api.WorkerInfo;
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
      "A worker that was stopped normally is not listed. Workers report once a minute: one that was last seen earlier was killed, or cannot reach the database."
    })
final class WorkersCommand extends QueueAction {

  private static final JsonFactory JSON = new JsonFactory();

  private static final Fields<WorkerInfo> WORKER =
      Fields.<WorkerInfo>none()
          .and("worker", WorkerInfo::name)
          .and("host", WorkerInfo::host)
          .and("pid", WorkerInfo::pid)
          .and("seen_at", WorkerInfo::seenAt)
          .and("started_at", WorkerInfo::startedAt)
          .andText("slots", WorkersCommand::slots)
          .andJson("slots", WorkersCommand::concurrency)
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
    Map<String, Integer> slots = concurrency(worker);
    return slots.isEmpty()
        ? String.join(", ", worker.queues())
        : slots.entrySet().stream()
            .map(queue -> queue.getKey() + " " + queue.getValue())
            .collect(Collectors.joining(", "));
  }

  /** Returns the number of slots of each queue, as far as the worker reported it. */
  private static Map<String, Integer> concurrency(WorkerInfo worker) {
    Map<String, Integer> slots = new LinkedHashMap<>();
    @Nullable String settings = worker.settings();
    if (settings == null) {
      return slots;
    }
    try (JsonParser json = JSON.createParser(settings)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        boolean wanted = json.currentName().equals("concurrency");
        if (json.nextToken() == JsonToken.START_OBJECT && wanted) {
          while (json.nextToken() == JsonToken.FIELD_NAME) {
            String queue = json.currentName();
            slots.put(queue, json.nextIntValue(0));
          }
        } else {
          json.skipChildren();
        }
      }
    } catch (IOException otherForm) {
      return Map.of();
    }
    return slots;
  }
}
