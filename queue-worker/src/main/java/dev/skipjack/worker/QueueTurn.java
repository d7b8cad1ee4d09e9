package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.worker.KnownLanes.Known;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one queue is asked for in a claim, and what it was served over all of them. */
final class QueueTurn {

  private final int weight;
  private final LaneOrder.Reserve reserve;
  private final List<Known> lanes = new ArrayList<>(4);
  private int room;
  private double served;

  /** The fraction of a slot that is still owed to waiting lanes, counted in intervals. */
  private int owed;

  private @Nullable Lane reservedFor;
  private int claimed;
  private int reserveClaimed;

  QueueTurn(int weight, LaneOrder.Reserve reserve) {
    this.weight = weight;
    this.reserve = reserve;
  }

  /** Begins a claim that may take {@code room} jobs of this queue. */
  void begin(int room) {
    this.room = room;
    lanes.clear();
    reservedFor = null;
    claimed = 0;
    reserveClaimed = 0;
  }

  int room() {
    return room;
  }

  /** The lanes that are worth asking, highest priority first. */
  List<Known> lanes() {
    return lanes;
  }

  /** Whether nothing is expected of any of them. */
  boolean isExhausted() {
    for (Known known : lanes) {
      if (!known.isExhausted()) {
        return false;
      }
    }
    return true;
  }

  /** How much of its part it has had, where there was not enough for all. */
  double served() {
    return served;
  }

  /** A queue that had nothing to claim, or room for all it had, has saved up nothing. */
  void servedAtLeast(double least) {
    served = Math.max(served, least);
  }

  /** Returns how many slots are reserved for this lane, which waits longest behind higher ones. */
  int reserve(Lane lane) {
    reservedFor = lane;
    return (owed + room) / reserve.interval();
  }

  void claimed(Lane lane, int jobs) {
    claimed += jobs;
    if (lane.equals(reservedFor)) {
      reserveClaimed = jobs;
    }
  }

  /**
   * Ends the claim.
   *
   * @param contended whether there was less than all queues wanted
   */
  void settle(boolean contended) {
    if (reservedFor != null) {
      // A reserve that its lane could not use is not saved up, and jobs beyond it are not charged.
      owed += claimed - reserve.interval() * reserveClaimed;
      owed = Math.max(0, Math.min(owed, reserve.interval() - 1));
    }
    if (contended) {
      served += (double) claimed / weight;
    }
  }
}
