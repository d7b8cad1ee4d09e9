package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Lanes that somebody said have a job, on their way from the listener to the fetcher. Safe for any
 * number of threads.
 */
final class HeardLanes {

  private final Wakeup fetcher;
  private final Set<Lane> heard = new HashSet<>();

  HeardLanes(Wakeup fetcher) {
    this.fetcher = fetcher;
  }

  void add(Lane lane) {
    synchronized (heard) {
      heard.add(lane);
    }
    fetcher.raise();
  }

  /** Lets the fetcher look for itself: nobody knows what was missed. */
  void lookEverywhere() {
    fetcher.raise();
  }

  /** Those since the last call. */
  List<Lane> take() {
    synchronized (heard) {
      List<Lane> taken = new ArrayList<>(heard);
      heard.clear();
      return taken;
    }
  }
}
