package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.WorkerRow;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Builds the row that lists a worker for operators. */
final class WorkerRows {

  private WorkerRows() {}

  static WorkerRow of(
      WorkerId id,
      Map<String, Integer> concurrency,
      List<String> kinds,
      WorkerConfig config,
      LaneOrder order,
      HandlerThreads handlerThreads) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("concurrency", concurrency);
    String version = WorkerRows.class.getPackage().getImplementationVersion();
    // The version is known only if the class comes from the jar.
    settings.put("version", version == null ? "unknown" : version);
    settings.put("order", order);
    settings.put("handlerThreads", handlerThreads);
    for (RecordComponent component : WorkerConfig.class.getRecordComponents()) {
      try {
        settings.put(component.getName(), component.getAccessor().invoke(config));
      } catch (ReflectiveOperationException impossible) {
        throw new IllegalStateException("A record's own component", impossible);
      }
    }
    return new WorkerRow(
        id,
        HostName.get(),
        ProcessHandle.current().pid(),
        List.copyOf(concurrency.keySet()),
        kinds,
        json(settings));
  }

  /** Encodes numbers, booleans, durations and names as JSON without the user's codec. */
  private static String json(Map<?, ?> values) {
    return values.entrySet().stream()
        .map(entry -> quoted(entry.getKey()) + ": " + json(entry.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String json(Object value) {
    if (value instanceof Map<?, ?> nested) {
      return json(nested);
    }
    return value instanceof Number || value instanceof Boolean ? value.toString() : quoted(value);
  }

  private static String quoted(Object value) {
    return '"' + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
