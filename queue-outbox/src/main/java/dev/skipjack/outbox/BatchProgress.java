package dev.skipjack.outbox;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Collects the results of a batch while the publisher runs, so that sent events can be recorded
 * even if the publisher fails or does not return. Thread-safe.
 */
final class BatchProgress {

  private final Map<UUID, PublishResult> results = new HashMap<>();
  private final Set<UUID> unfinished = new HashSet<>();

  synchronized void begin(RecordedEvent event) {
    unfinished.add(event.id());
  }

  /**
   * Notes the end of an attempt.
   *
   * @param result null if it is not known, because the attempt ended with an exception
   */
  synchronized void end(RecordedEvent event, @Nullable PublishResult result) {
    unfinished.remove(event.id());
    if (result != null) {
      results.put(event.id(), result);
    }
  }

  /** Returns the result of an event, or null if none is known. */
  synchronized @Nullable PublishResult result(RecordedEvent event) {
    return results.get(event.id());
  }

  synchronized boolean isUnfinished(RecordedEvent event) {
    return unfinished.contains(event.id());
  }

  synchronized boolean isAnyNoted() {
    return !results.isEmpty() || !unfinished.isEmpty();
  }

  /** Returns the result of each given event, or {@link PublishResult#notTried} if none is known. */
  synchronized List<PublishResult> results(List<RecordedEvent> events) {
    return events.stream()
        .map(event -> results.getOrDefault(event.id(), PublishResult.notTried()))
        .toList();
  }
}
