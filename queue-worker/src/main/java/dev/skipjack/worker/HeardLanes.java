package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Passes the lanes in which wake-ups reported a job from the listener to the claim loop. Safe for
 * any number of threads.
 */
final class HeardLanes {

  private final Wakeup claimLoop;
  private final Set<Lane> heard = new HashSet<>();

  HeardLanes(Wakeup claimLoop) {
    this.claimLoop = claimLoop;
  }

  /** Adds the lane of a wake-up, if this worker serves its queue and its kind. */
  void add(WakeUp wakeUp, Set<String> queues, Set<String> kinds) {
    if (queues.contains(wakeUp.lane().queue()) && kinds.contains(wakeUp.kind())) {
      add(wakeUp.lane());
    }
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
