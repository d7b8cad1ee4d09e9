package dev.skipjack.api;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker as it has registered itself, for display only: whether a job may be rescued depends on
 * its lease, never on this.
 *
 * @param name as configured; several workers may have the same
 * @param bootId new at each start
 * @param host its host; null if unknown
 * @param pid its process id; null if unknown
 * @param queues the queues it serves
 * @param kinds the kinds it has handlers for
 * @param settings its effective settings, a JSON object; null if not reported
 * @param startedAt when it first registered
 * @param seenAt when it was last seen
 */
public record WorkerInfo(
    String name,
    UUID bootId,
    @Nullable String host,
    @Nullable Long pid,
    List<String> queues,
    List<String> kinds,
    @Nullable String settings,
    Instant startedAt,
    Instant seenAt) {

  /** Copies the lists. */
  public WorkerInfo {
    queues = List.copyOf(queues);
    kinds = List.copyOf(kinds);
  }
}
