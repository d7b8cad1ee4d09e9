package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.worker.KnownLanes.Known;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the share of one queue in the current claim, and how many jobs it has received over all
 * claims.
 */
final class QueueTurn {

  private final int weight;
  private final LaneOrder.Reserve reserve;
  private final List<Known> lanes = new ArrayList<>(4);
  private int room;
  private double served;

  /**
   * The fraction of a slot that is still owed to waiting lanes, in units of {@code 1 / interval}.
   */
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

  /** Returns the lanes that are worth claiming from, highest priority first. */
  List<Known> lanes() {
    return lanes;
  }

  /** Returns whether none of the lanes is expected to have jobs. */
  boolean isExhausted() {
    for (Known known : lanes) {
      if (!known.isExhausted()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns how many jobs the queue has received, relative to its weight, in claims that were too
   * small for all queues.
   */
  double served() {
    return served;
  }

  /**
   * Raises the value of {@link #served} to at least {@code least}, so that a queue that was idle
   * does not accumulate a right to later slots.
   */
  void servedAtLeast(double least) {
    served = Math.max(served, least);
  }

  /**
   * Returns the number of slots that are reserved for this lane, which has waited longest behind
   * higher ones.
   */
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
   * @param contended whether the queues had room for more jobs than the claim could return
   */
  void settle(boolean contended) {
    if (reservedFor != null) {
      // An unused reserve is not saved up, and jobs beyond the reserve do not reduce a later one.
      owed += claimed - reserve.interval() * reserveClaimed;
      owed = Math.max(0, Math.min(owed, reserve.interval() - 1));
    }
    if (contended) {
      served += (double) claimed / weight;
    }
  }
}
