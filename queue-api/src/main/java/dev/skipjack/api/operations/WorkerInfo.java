package dev.skipjack.api.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A registered worker, for display only. Whether a job can be rescued depends on its lease, never
 * on this information.
 *
 * @param name the configured name, which several workers can share
 * @param bootId an id that differs for each start of the worker
 * @param host the host that the worker runs on; null if unknown
 * @param pid the process id of the worker; null if unknown
 * @param queues the queues that the worker serves
 * @param kinds the kinds that the worker has handlers for
 * @param settings the worker's effective settings, as a JSON object, with the version of the
 *     library as {@code version} and the slots of each queue as {@code concurrency}; null if not
 *     reported
 * @param startedAt when the worker first registered
 * @param seenAt when the worker was last seen
 * @param silentFor how long ago that was, by the database clock; negative if {@code seenAt} is in
 *     the future
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
    Instant seenAt,
    Duration silentFor) {

  /**
   * The time without a heartbeat after which a worker counts as stopped. It allows one heartbeat to
   * fail, because workers send one every minute, plus or minus a fifth.
   */
  public static final Duration SILENCE = Duration.ofMinutes(3);

  /**
   * Makes defensive copies of the lists.
   *
   * @param name the name
   * @param bootId an id that differs after each start
   * @param host the host
   * @param pid the id of the process
   * @param queues the queues that the worker serves
   * @param kinds the kinds that the worker handles
   * @param settings the settings, as a JSON object; null if not reported
   * @param startedAt when it started
   * @param seenAt when the worker last updated its row
   * @param silentFor how long ago that was
   */
  public WorkerInfo {
    queues = List.copyOf(queues);
    kinds = List.copyOf(kinds);
  }

  /**
   * {@return whether {@code seenAt} differs from the time of the database by less than {@link
   * #SILENCE}}
   */
  public boolean isAlive() {
    return silentFor.abs().compareTo(SILENCE) < 0;
  }
}
