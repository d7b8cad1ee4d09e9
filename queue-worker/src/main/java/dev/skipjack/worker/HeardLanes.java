package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Passes the lanes in which wake-ups reported a job from the listener to the claim loop. Safe for
 * any number of threads.
 */
final class HeardLanes {

  /** After this time, a notification that has not arrived is no longer expected. */
  private static final long OWN_NOTIFICATION = Duration.ofSeconds(1).toNanos();

  private final Wakeup claimLoop;
  private final Set<Lane> heard = new HashSet<>();

  /**
   * When this process was told of jobs whose notification it will receive as well, by lane. Each
   * notification removes one.
   */
  private final Map<Lane, Deque<Long>> told = new HashMap<>();

  HeardLanes(Wakeup claimLoop) {
    this.claimLoop = claimLoop;
  }

  /** Adds the lane of a wake-up, if this worker serves its queue and its kind. */
  void add(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    if (isServed(wakeUp, queues, kinds) && !isExpected(wakeUp.lane())) {
      add(wakeUp.lane());
    }
  }

  /**
   * Adds the lane of a wake-up like {@link #add(WakeUp, Set, Set)}, before its notification, which
   * then has no effect.
   */
  void addBeforeNotification(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    if (isServed(wakeUp, queues, kinds)) {
      synchronized (heard) {
        recentlyTold(wakeUp.lane()).add(System.nanoTime());
      }
      add(wakeUp.lane());
    }
  }

  private static boolean isServed(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    return queues.contains(wakeUp.lane().queue()) && kinds.contains(wakeUp.kind());
  }

  private boolean isExpected(Lane lane) {
    synchronized (heard) {
      return recentlyTold(lane).poll() != null;
    }
  }

  private Deque<Long> recentlyTold(Lane lane) {
    Deque<Long> times = told.computeIfAbsent(lane, unused -> new ArrayDeque<>());
    long oldest = System.nanoTime() - OWN_NOTIFICATION;
    times.removeIf(time -> time - oldest < 0);
    return times;
  }

  void add(Lane lane) {
    synchronized (heard) {
      heard.add(lane);
    }
    claimLoop.raise();
  }

  /** Makes the claim loop poll all lanes, because wake-ups may have been missed. */
  void lookEverywhere() {
    claimLoop.raise();
  }

  /** Returns the lanes reported since the last call. */
  List<Lane> take() {
    synchronized (heard) {
      List<Lane> taken = new ArrayList<>(heard);
      heard.clear();
      return taken;
    }
  }
}
