package dev.skipjack.outbox.http;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The servers whose latest request took long, whatever the response. After a batch has waited for
 * them alone, they all rest for as long, so that they take at most half of the time of a relay's
 * thread, however many they are. Thread-safe.
 */
final class SlowServers {

  /** A bound for the memory. A server that is forgotten is recognized by its next request. */
  private static final int MOST = 10_000;

  private final Set<String> servers = ConcurrentHashMap.newKeySet();
  private final LongSupplier nanoTime;
  private volatile long restUntil;

  /**
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  SlowServers(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.restUntil = nanoTime.getAsLong();
  }

  boolean contains(String server) {
    return servers.contains(server);
  }

  void note(String server, boolean isSlow) {
    if (!isSlow) {
      servers.remove(server);
      return;
    }
    if (servers.size() >= MOST) {
      servers.clear();
    }
    servers.add(server);
  }

  /** Lets all of them rest. */
  void rest(Duration duration) {
    long until = nanoTime.getAsLong() + duration.toNanos();
    if (until - restUntil > 0) {
      restUntil = until;
    }
  }

  /** Returns how long they rest from now on; zero or negative if they do not. */
  Duration restLeft() {
    return Duration.ofNanos(restUntil - nanoTime.getAsLong());
  }
}
