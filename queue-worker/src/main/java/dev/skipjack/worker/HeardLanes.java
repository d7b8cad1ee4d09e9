package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
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

  /**
   * How long after an enqueue of this process a notification of its lane is assumed to be for the
   * same job. If the notification is for another job, the next claim finds that job, because each
   * claim is followed by another one after more than this time.
   */
  private static final long SAME_JOB = Duration.ofMillis(4).toNanos();

  private final Wakeup claimLoop;
  private final Set<Lane> heard = new HashSet<>();

  /** When an enqueue of this process last woke the claim loop before its notification, by lane. */
  private final Map<Lane, Long> woken = new HashMap<>();

  HeardLanes(Wakeup claimLoop) {
    this.claimLoop = claimLoop;
  }

  /** Adds the lane of a wake-up, if this worker serves its queue and its kind. */
  void add(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    if (note(wakeUp, queues, kinds)) {
      claimLoop.raise();
    }
  }

  /**
   * Adds the lane of a wake-up like {@link #add(WakeUp, Set, Set)}, but does not wake the claim
   * loop.
   *
   * @return whether it was added, so that the claim loop must run
   */
  boolean note(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    if (!isServed(wakeUp, queues, kinds) || isKnown(wakeUp.lane())) {
      return false;
    }
    synchronized (heard) {
      heard.add(wakeUp.lane());
    }
    return true;
  }

  /**
   * Adds the lane of a wake-up like {@link #add(WakeUp, Set, Set)}, before its notification
   * arrives. A notification that follows soon has no effect.
   */
  void addBeforeNotification(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    if (isServed(wakeUp, queues, kinds)) {
      synchronized (heard) {
        woken.put(wakeUp.lane(), System.nanoTime());
      }
      add(wakeUp.lane());
    }
  }

  private static boolean isServed(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    return queues.contains(wakeUp.lane().queue()) && kinds.contains(wakeUp.kind());
  }

  private boolean isKnown(Lane lane) {
    synchronized (heard) {
      Long wokenAt = woken.remove(lane);
      return wokenAt != null && System.nanoTime() - wokenAt < SAME_JOB;
    }
  }

  void add(Lane lane) {
    synchronized (heard) {
      heard.add(lane);
    }
    claimLoop.raise();
  }

  /** Wakes the claim loop, which polls all lanes if none was added. */
  void wakeClaimLoop() {
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
