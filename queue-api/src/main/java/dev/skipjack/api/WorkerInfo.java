package dev.skipjack.api;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker as it introduced itself. For people: whether a job may be rescued is decided by its
 * lease and never by this.
 *
 * @param name as configured; several may have one
 * @param bootId new at each start
 * @param host where it runs; null: it does not know
 * @param pid its process there; null: it does not know
 * @param queues the queues it serves
 * @param kinds the kinds it has handlers for
 * @param settings its settings in force, a JSON object; null: none were told
 * @param startedAt when it introduced itself first
 * @param seenAt its latest sign of life
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
