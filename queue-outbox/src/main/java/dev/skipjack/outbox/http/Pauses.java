package dev.skipjack.outbox.http;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The URIs to which nothing is sent for a while, as their servers requested. Thread-safe. */
final class Pauses {

  private final Map<URI, Long> ends = new ConcurrentHashMap<>();

  void pause(URI uri, Duration pause) {
    long now = System.nanoTime();
    ends.values().removeIf(end -> end - now <= 0);
    ends.merge(uri, now + pause.toNanos(), (a, b) -> a - b > 0 ? a : b);
  }

  /** Returns how long nothing may be sent; zero or negative if the URI is not paused. */
  Duration left(URI uri) {
    Long end = ends.get(uri);
    return end == null ? Duration.ZERO : Duration.ofNanos(end - System.nanoTime());
  }
}
