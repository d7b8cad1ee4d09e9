package dev.skipjack.outbox.http;

import java.util.ArrayDeque;
import java.util.Deque;

/** The deliveries of a batch to one server. Used by one thread. */
final class DestinationQueue {

  /**
   * The number of requests in succession to which a server did not respond, after which it gets no
   * more in this batch: each may take as long as the timeout.
   */
  private static final int OUTAGE = 3;

  private final String server;
  private final SlowServers slowServers;
  private final Deque<Delivery> waiting = new ArrayDeque<>();
  private int running;
  private int failures;
  private boolean isSlow;
  private boolean isQuick;

  DestinationQueue(String server, SlowServers slowServers) {
    this.server = server;
    this.slowServers = slowServers;
    this.isSlow = slowServers.contains(server);
  }

  void add(Delivery delivery) {
    waiting.add(delivery);
  }

  /** Removes and returns the next delivery. */
  Delivery remove() {
    return waiting.remove();
  }

  boolean isWaiting() {
    return !waiting.isEmpty();
  }

  boolean hasWork() {
    return running > 0 || isWaiting();
  }

  void begin() {
    running++;
  }

  void end() {
    running--;
  }

  int running() {
    return running;
  }

  /** Notes the end of a request. */
  void note(boolean isUnavailable, boolean tookLong) {
    failures = isUnavailable ? failures + 1 : 0;
    isQuick = !tookLong && !isUnavailable;
    noteSlow(tookLong);
  }

  /** Notes whether a request takes long. */
  void noteSlow(boolean takesLong) {
    isSlow = takesLong;
    slowServers.note(server, takesLong);
  }

  boolean isSlow() {
    return isSlow;
  }

  /** Returns whether the latest request of this batch has succeeded in a short time. */
  boolean isQuick() {
    return isQuick;
  }

  /** Returns whether the server gets no more requests in this batch. */
  boolean isUnavailable() {
    return failures >= OUTAGE;
  }
}
