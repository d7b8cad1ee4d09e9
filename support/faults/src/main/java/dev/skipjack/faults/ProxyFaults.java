package dev.skipjack.faults;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The faults that a proxy injects into the bytes that it forwards. Safe for any number of threads.
 */
final class ProxyFaults {

  private final Deque<CommitCut> cuts = new ArrayDeque<>();
  private int cutCommits;
  private volatile boolean blackHole;
  private volatile Duration toServer = Duration.ZERO;
  private volatile Duration toClient = Duration.ZERO;

  void blackHole(boolean on) {
    blackHole = on;
  }

  boolean isBlackHole() {
    return blackHole;
  }

  void latency(Duration toServer, Duration toClient) {
    this.toServer = toServer;
    this.toClient = toClient;
  }

  Duration toServer() {
    return toServer;
  }

  Duration toClient() {
    return toClient;
  }

  void cutNext(CommitCut cut, int times) {
    if (times < 1) {
      throw new IllegalArgumentException(
          "The number of times is %d, but must be at least 1.".formatted(times));
    }
    synchronized (cuts) {
      cuts.addAll(Collections.nCopies(times, cut));
    }
  }

  /** Returns the cut to make around the COMMIT that is being forwarded, or null for none. */
  @Nullable CommitCut nextCut() {
    synchronized (cuts) {
      CommitCut next = cuts.poll();
      cutCommits += next == null ? 0 : 1;
      return next;
    }
  }

  int cutCommits() {
    synchronized (cuts) {
      return cutCommits;
    }
  }

  void clearCuts() {
    synchronized (cuts) {
      cuts.clear();
    }
  }
}
