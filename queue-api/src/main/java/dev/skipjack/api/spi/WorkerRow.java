package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The row of a worker in the registry, for display.
 *
 * @param id the identity of the worker
 * @param host the host that the worker runs on, sanitized and truncated to 255 characters; null if
 *     unknown
 * @param pid the process id of the worker
 * @param queues the queues that the worker serves
 * @param kinds the kinds that the worker has handlers for
 * @param settings the worker's effective settings, as a JSON object
 */
public record WorkerRow(
    WorkerId id,
    @Nullable String host,
    long pid,
    List<String> queues,
    List<String> kinds,
    String settings) {

  private static final int LONGEST_HOST = 255;

  /**
   * Sanitizes the host and makes defensive copies of the lists.
   *
   * @param id the id of the worker
   * @param host the host
   * @param pid the id of the process
   * @param queues the queues that the worker serves
   * @param kinds the kinds that the worker handles
   * @param settings the settings, as a JSON object
   */
  public WorkerRow {
    host = host == null ? null : SafeText.of(host, LONGEST_HOST);
    queues = List.copyOf(queues);
    kinds = List.copyOf(kinds);
  }
}
