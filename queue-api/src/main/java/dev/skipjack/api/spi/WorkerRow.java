package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker's row in the registry, for display.
 *
 * @param id its identity
 * @param host its host, made safe to write and at most 255 characters; null if unknown
 * @param pid its process id
 * @param queues the queues it serves
 * @param kinds the kinds it has handlers for
 * @param settings its effective settings, a JSON object
 */
public record WorkerRow(
    WorkerId id,
    @Nullable String host,
    long pid,
    List<String> queues,
    List<String> kinds,
    String settings) {

  private static final int LONGEST_HOST = 255;

  /** Makes the host safe to write and copies the lists. */
  public WorkerRow {
    host = host == null ? null : SafeText.of(host, LONGEST_HOST);
    queues = List.copyOf(queues);
    kinds = List.copyOf(kinds);
  }
}
