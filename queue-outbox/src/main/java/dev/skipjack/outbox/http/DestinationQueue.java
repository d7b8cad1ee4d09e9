package dev.skipjack.outbox.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** The deliveries of a batch to one server. Used by one thread. */
final class DestinationQueue {

  /**
   * After this number of successive requests for which the server was unavailable, it gets no more
   * in this batch, because each may take as long as the timeout.
   */
  private static final int OUTAGE = 3;

  private final String server;
  private final SlowServers slowServers;
  private final Deque<Delivery> waiting = new ArrayDeque<>();
  private int running;
  private int failures;
  private boolean isSlow;
  private boolean isQuick;
  private boolean hasWaited;

  DestinationQueue(String server, SlowServers slowServers) {
    this.server = server;
    this.slowServers = slowServers;
    this.isSlow = slowServers.contains(server);
  }

  void add(Delivery delivery) {
    waiting.add(delivery);
  }

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

  void note(boolean isUnavailable, boolean tookLong) {
    failures = isUnavailable ? failures + 1 : 0;
    isQuick = !tookLong && !isUnavailable;
    isSlow = tookLong;
    if (!tookLong) {
      slowServers.noteQuick(server);
    } else if (isUnavailable) {
      slowServers.noteSlow(server);
    } else {
      slowServers.noteSlowResponse(server);
    }
  }

  void noteSlow() {
    isSlow = true;
    slowServers.noteSlow(server);
  }

  /** Takes back a delivery to which the server has not responded while other events waited. */
  void takeBack(Delivery delivery) {
    if (!hasWaited) {
      hasWaited = true;
      slowServers.noteWait(server);
    }
    add(delivery);
  }

  /** Returns how long a batch waits for this server while other events wait. */
  Duration longestWait() {
    return slowServers.waitFor(server);
  }

  boolean isSlow() {
    return isSlow;
  }

  /** Returns whether the server responded quickly to its latest request of this batch. */
  boolean isQuick() {
    return isQuick;
  }

  /** Returns whether the server gets no more requests in this batch. */
  boolean isUnavailable() {
    return failures >= OUTAGE;
  }
}
