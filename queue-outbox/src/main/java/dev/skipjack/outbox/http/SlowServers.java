package dev.skipjack.outbox.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The servers whose latest request took long. After a batch has waited only for them, all of them
 * rest. Thread-safe.
 */
final class SlowServers {

  /** Limits the memory. A forgotten server is recognized again by its next slow request. */
  private static final int MOST = 10_000;

  /** Each slow server, and how long a batch waits for it while other events wait. */
  private final Map<String, Duration> waits = new ConcurrentHashMap<>();

  private final Duration first;
  private final Duration longest;
  private final LongSupplier nanoTime;
  private volatile long restUntil;

  /**
   * @param first how long a batch waits for a server that has never responded, while other events
   *     wait
   * @param longest how long it waits for one that has responded slowly, and the maximum for the
   *     others
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  SlowServers(Duration first, Duration longest, LongSupplier nanoTime) {
    this.first = first;
    this.longest = longest;
    this.nanoTime = nanoTime;
    this.restUntil = nanoTime.getAsLong();
  }

  boolean contains(String server) {
    return waits.containsKey(server);
  }

  /** Returns how long a batch waits for the server while other events wait. */
  Duration waitFor(String server) {
    return waits.getOrDefault(server, first);
  }

  void noteQuick(String server) {
    waits.remove(server);
  }

  void noteSlow(String server) {
    put(server, waitFor(server));
  }

  void noteSlowResponse(String server) {
    put(server, longest);
  }

  /**
   * Notes that a batch has waited for the server without a response, so that the next one waits
   * longer.
   */
  void noteWait(String server) {
    Duration doubled = waitFor(server).multipliedBy(2);
    put(server, doubled.compareTo(longest) < 0 ? doubled : longest);
  }

  private void put(String server, Duration wait) {
    if (waits.size() >= MOST) {
      waits.clear();
    }
    waits.put(server, wait);
  }

  void rest(Duration duration) {
    long until = nanoTime.getAsLong() + duration.toNanos();
    if (until - restUntil > 0) {
      restUntil = until;
    }
  }

  /** Returns how long the slow servers still rest; zero or negative if they do not. */
  Duration restLeft() {
    return Duration.ofNanos(restUntil - nanoTime.getAsLong());
  }
}
