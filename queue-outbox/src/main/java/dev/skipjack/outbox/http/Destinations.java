package dev.skipjack.outbox.http;

import dev.skipjack.outbox.EventBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides to which server the next event of a batch is sent. Servers that are not slow come first,
 * and of those the one with the fewest requests in progress. Meanwhile, a server that has not
 * responded in a short time in this batch gets one request at once. When only slow ones have events
 * left, they get requests for a short time, but none in a batch that begins while they rest. Used
 * by one thread.
 */
final class Destinations {

  private final EventBatch batch;
  private final Settings settings;
  private final boolean isResting;
  private final DestinationQueue lookups;
  private final Map<String, DestinationQueue> byServer = new LinkedHashMap<>();

  /** When only slow servers had events left; a value of {@link System#nanoTime}. */
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

  /** Returns whether a server has events left that is not slow as far as is known. */
  private boolean hasQuickWork() {
    return byServer.values().stream()
        .anyMatch(each -> each.hasWork() && !each.isSlow() && !each.isUnavailable());
  }

  private boolean mayBegin(DestinationQueue queue, boolean hasQuickWork) {
    boolean isLimited = hasQuickWork && !settings.hasOneEndpoint() && !queue.isQuick();
    boolean hasRoom =
        queue == lookups // which the slots limit; those that hang have others
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
   * Ends the batch: passes on the deliveries that were not begun, in the order of their servers,
   * and lets slow servers rest for as long as the batch has waited for them alone.
   */
  void end(Consumer<DestinationQueue> remaining) {
    List<DestinationQueue> queues = new ArrayList<>(byServer.values());
    boolean isAnySlow = queues.stream().anyMatch(DestinationQueue::isSlow);
    if (isAnySlow && !isResting) {
      settings.slowServers().rest(Duration.ofNanos(System.nanoTime() - onlySlowSince));
    }
    queues.forEach(remaining);
  }
}
