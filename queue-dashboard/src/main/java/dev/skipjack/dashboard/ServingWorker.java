package dev.skipjack.dashboard;

import dev.skipjack.api.operations.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A worker, with the visible part of what it serves.
 *
 * @param version the version of the library; null if it was not reported
 * @param slots how many jobs of each queue it runs at a time
 */
record ServingWorker(
    String name,
    UUID bootId,
    @Nullable String host,
    @Nullable Long pid,
    @Nullable String version,
    boolean isAlive,
    List<String> queues,
    List<String> kinds,
    Map<String, Integer> slots,
    Instant startedAt,
    Instant seenAt,
    Duration silentFor) {

  static ServingWorker of(WorkerInfo worker) {
    ReportedSettings reported = ReportedSettings.of(worker);
    return new ServingWorker(
        Ui.cut(worker.name(), VisibleReads.LONGEST_TEXT),
        worker.bootId(),
        VisibleReads.brief(worker.host()),
        worker.pid(),
        reported.version(),
        worker.isAlive(),
        worker.queues(),
        worker.kinds(),
        reported.slots(),
        worker.startedAt(),
        worker.seenAt(),
        worker.silentFor());
  }

  /** Returns the worker with some of its queues and kinds. */
  ServingWorker only(Predicate<String> queue, Predicate<String> kind) {
    return new ServingWorker(
        name,
        bootId,
        host,
        pid,
        version,
        isAlive,
        queues.stream().filter(queue).toList(),
        kinds.stream().filter(kind).toList(),
        slots.entrySet().stream()
            .filter(entry -> queue.test(entry.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)),
        startedAt,
        seenAt,
        silentFor);
  }

  /** Returns how many jobs it can run at a time; 0 if it has not reported that. */
  int totalSlots() {
    return slots.values().stream().mapToInt(Integer::intValue).sum();
  }
}
