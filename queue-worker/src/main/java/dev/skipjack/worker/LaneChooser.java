package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.worker.KnownLanes.Known;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses how many jobs a claim requests from which lane, so that many claims together follow the
 * {@link LaneOrder}.
 *
 * <p>A claim has a cap for each lane and one limit for all, and serves its lanes in order. For a
 * single queue, a claim contains all its lanes, each capped by the queue's room, because the limit
 * of the claim is then the limit of the queue. While several queues have room, the caps of one
 * queue must not add up to more than its room; so a claim contains only its highest lane, and the
 * lower ones after that lane returned fewer jobs than requested. Either way, another lane provides
 * what one lane lacks, in this claim or in the next, which follows at once.
 *
 * <p>A claim contains an exhausted lane only if a hint makes that cheap; among several queues, it
 * requests one job of that lane, ahead of the lane that is expected to provide the rest.
 *
 * <p>The reserve of a queue is counted in fractions of a slot, and its lane comes first. If not all
 * wanted jobs fit into one claim, the queue that has been served least in proportion to its weight
 * comes first.
 *
 * <p>Takes time linear in the known lanes of queues with room, except for sorting the queues if not
 * all fit. Confined to one thread.
 */
final class LaneChooser {

  /** Provides the due time from which a lane is worth reading. */
  @FunctionalInterface
  interface Hints {
    /** Returns the due time; null to read from the beginning. */
    @Nullable Instant of(Lane lane);
  }

  /**
   * The lanes and limit of a claim.
   *
   * @param shares empty if no lane has a job for a queue with room
   * @param limit maximum number of jobs in all; 0 if there are no shares
   */
  record Choice(List<LaneShare> shares, int limit) {}

  private final LaneOrder order;
  private final Map<String, QueueTurn> turns = new HashMap<>();
  private final List<QueueTurn> asked = new ArrayList<>();
  private boolean contended;
  private double leastServed;

  /**
   * @param queues all queues that the worker serves
   */
  LaneChooser(Collection<String> queues, LaneOrder order) {
    this.order = order;
    queues.forEach(queue -> turns.put(queue, new QueueTurn(order.weight(queue), order.reserve())));
  }

  /**
   * Returns the shares of one claim. Unless the claim fails, its result must be passed to {@link
   * #claimed}.
   *
   * @param room jobs wanted by queue, each at least 1
   * @param most maximum number of jobs in all, at least 1
   */
  Choice choose(KnownLanes lanes, Map<String, Integer> room, int most, Hints hints, long now) {
    asked.clear();
    long wanted = 0;
    for (Map.Entry<String, Integer> entry : room.entrySet()) {
      QueueTurn turn = turns.get(entry.getKey());
      if (turn != null) {
        turn.begin(Math.min(entry.getValue(), most));
        for (Known known : lanes.of(entry.getKey())) {
          if (!known.isExhausted() || hints.of(known.lane()) != null) {
            turn.lanes().add(known);
          }
        }
        if (!turn.lanes().isEmpty()) {
          asked.add(turn);
          wanted += turn.room();
        }
      }
    }
    contended = wanted > most && asked.size() > 1;
    if (contended) {
      takeTurns();
    }
    List<LaneShare> shares = new ArrayList<>(asked.size() + 1);
    for (QueueTurn turn : asked) {
      if (shares.size() >= most) {
        break; // each lane is expected to hold a job
      }
      add(shares, turn, hints, now);
    }
    return new Choice(shares, (int) Math.min(wanted, most));
  }

  private void takeTurns() {
    asked.forEach(turn -> turn.servedAtLeast(leastServed));
    // Lanes that are not expected to have jobs come last; otherwise a thousand of them could fill
    // every claim.
    asked.sort(Comparator.comparing(QueueTurn::isExhausted).thenComparingDouble(QueueTurn::served));
    leastServed = asked.get(0).served();
  }

  private void add(List<LaneShare> shares, QueueTurn turn, Hints hints, long now) {
    int left = turn.room();
    if (order.reserve() != LaneOrder.Reserve.NOTHING) {
      Known waiting = longestWaiting(turn.lanes(), now);
      int reserved = waiting == null ? 0 : turn.reserve(waiting.lane());
      if (waiting != null && reserved > 0) {
        shares.add(share(waiting, reserved, hints));
        turn.lanes().remove(waiting);
        left -= reserved;
      }
    }
    if (asked.size() == 1) {
      turn.lanes().forEach(known -> shares.add(share(known, turn.room(), hints)));
    } else if (left > 0) {
      addHighest(shares, turn.lanes(), left, hints);
    }
  }

  /** Returns null if the lane that has waited longest is served first anyway. */
  private static @Nullable Known longestWaiting(List<Known> lanes, long now) {
    Known highest = null;
    Known longest = null;
    for (Known known : lanes) {
      if (!known.isExhausted()) {
        highest = highest == null ? known : highest;
        longest = longest == null || known.waited(now) > longest.waited(now) ? known : longest;
      }
    }
    return longest == highest ? null : longest;
  }

  private static void addHighest(List<LaneShare> shares, List<Known> lanes, int left, Hints hints) {
    int main = 0;
    while (main < lanes.size() && lanes.get(main).isExhausted()) {
      main++;
    }
    if (main == lanes.size()) {
      int probes = Math.min(main, left) - 1;
      shares.add(share(lanes.get(0), left - probes, hints));
      addProbes(shares, lanes.subList(1, 1 + probes), hints);
    } else {
      int probes = Math.min(main, left - 1);
      addProbes(shares, lanes.subList(0, probes), hints);
      shares.add(share(lanes.get(main), left - probes, hints));
    }
  }

  private static void addProbes(List<LaneShare> shares, List<Known> lanes, Hints hints) {
    lanes.forEach(known -> shares.add(share(known, 1, hints)));
  }

  private static LaneShare share(Known known, int cap, Hints hints) {
    return new LaneShare(known.lane(), cap, hints.of(known.lane()));
  }

  /** Records the result of the last choice. */
  void claimed(ClaimAnswer answer) {
    for (int i = 0; i < answer.visited(); i++) {
      Lane lane = answer.share(i).lane();
      QueueTurn turn = turns.get(lane.queue());
      if (turn != null) {
        turn.claimed(lane, answer.taken(i));
      }
    }
    asked.forEach(turn -> turn.settle(contended));
  }
}
