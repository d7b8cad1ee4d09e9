package dev.skipjack.outbox.http;

import dev.skipjack.outbox.EventBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides to which server the next event of a batch is sent. Servers that are not slow come first,
 * beginning with the one that has the fewest requests in progress. Meanwhile, a server that has not
 * responded quickly in this batch gets one request at a time. When only slow servers have events
 * left, they get requests for a short time, or none if the batch began while they rested. Used by
 * one thread.
 */
final class Destinations {

  /**
   * How long slow servers rest while other events wait, as a multiple of the time that the batch
   * waited only for them. With 4, they take at most a fifth of a relay thread's time.
   */
  private static final int REST_BESIDE_OTHERS = 4;

  private final EventBatch batch;
  private final Settings settings;
  private final boolean isResting;
  private final DestinationQueue lookups;
  private final Map<String, DestinationQueue> byServer = new LinkedHashMap<>();

  /** The value of {@link System#nanoTime} since which only slow servers have had events left. */
  private long onlySlowSince = System.nanoTime();

  Destinations(EventBatch batch, Settings settings) {
    this.batch = batch;
    this.settings = settings;
    this.isResting = !settings.slowServers().restLeft().isNegative();
    this.lookups = of("");
  }

  /** Returns the queue of deliveries whose endpoint is not known. */
  DestinationQueue lookups() {
    return lookups;
  }

  DestinationQueue of(String server) {
    return byServer.computeIfAbsent(
        server, key -> new DestinationQueue(key, settings.slowServers()));
  }

  /** Returns the queue of the next delivery; null if there is none now. */
  @Nullable DestinationQueue next() {
    boolean hasQuickWork = hasQuickWork();
    if (hasQuickWork) {
      onlySlowSince = System.nanoTime();
    }
    if (!batch.isLeased()) {
      return null;
    }
    DestinationQueue next = null;
    for (DestinationQueue each : byServer.values()) {
      if (each.isWaiting()
          && mayBegin(each, hasQuickWork)
          && (next == null || isBefore(each, next))) {
        next = each;
      }
    }
    return next;
  }

  /** Returns whether a server that is neither slow nor unavailable has events left. */
  private boolean hasQuickWork() {
    return byServer.values().stream()
        .anyMatch(each -> each.hasWork() && !each.isSlow() && !each.isUnavailable());
  }

  private boolean mayBegin(DestinationQueue queue, boolean hasQuickWork) {
    boolean isLimited = hasQuickWork && !settings.hasOneEndpoint() && !queue.isQuick();
    boolean hasRoom =
        queue == lookups // the slots limit lookups; slow ones have slots of their own
            || queue.running() < (isLimited ? 1 : settings.concurrency());
    return hasRoom
        && !queue.isUnavailable()
        && (settings.hasOneEndpoint()
            || !queue.isSlow()
            || (!isResting && System.nanoTime() - onlySlowSince < settings.patience().toNanos()));
  }

  private static boolean isBefore(DestinationQueue one, DestinationQueue other) {
    return one.isSlow() == other.isSlow() ? one.running() < other.running() : other.isSlow();
  }

  /**
   * Returns how long the batch may continue; zero or negative if it must end. If only slow servers
   * have events left while other events wait, the longest of their waits is the limit.
   */
  Duration timeLeft() {
    Duration left = batch.timeLeft();
    if (settings.hasOneEndpoint() || !batch.hasMore() || hasQuickWork()) {
      return left;
    }
    Duration longest =
        byServer.values().stream()
            .filter(DestinationQueue::hasWork)
            .map(DestinationQueue::longestWait)
            .max(Comparator.naturalOrder())
            .orElse(left);
    Duration waitLeft = longest.minusNanos(System.nanoTime() - onlySlowSince);
    return waitLeft.compareTo(left) < 0 ? waitLeft : left;
  }

  /**
   * Ends the batch. If it has waited only for slow servers, lets these rest. Passes on each queue,
   * with the deliveries that still wait.
   */
  void end(Consumer<DestinationQueue> remaining) {
    List<DestinationQueue> queues = new ArrayList<>(byServer.values());
    boolean isAnySlow = queues.stream().anyMatch(DestinationQueue::isSlow);
    if (isAnySlow) {
      Duration waited = Duration.ofNanos(System.nanoTime() - onlySlowSince);
      settings.slowServers().rest(waited.multipliedBy(batch.hasMore() ? REST_BESIDE_OTHERS : 1));
    }
    queues.forEach(remaining);
  }
}
