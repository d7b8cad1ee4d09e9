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
 * Says what a claim asks of which lane, so that over many claims the {@link LaneOrder} is kept.
 *
 * <p>A claim has a cap for each lane and one limit for all, and serves its lanes in order. A single
 * queue is asked for all its lanes, each capped by the queue's room, because then the limit is the
 * queue's. While several queues have room, the caps of one queue must not add up to more than its
 * room; so only its highest lane is asked, and the lower ones once that came back short. Either
 * way, what one lane cannot give another one gives, in this claim or in the next, which follows at
 * once.
 *
 * <p>A lane that is exhausted is asked only where a hint makes that cheap; among several queues,
 * for one job ahead of the lane that is expected to give the rest.
 *
 * <p>The reserve of a queue is counted in fractions of a slot, and its lane comes first. Where all
 * that is wanted does not fit into one claim, queues come in the order of what they were served so
 * far by their weight.
 *
 * <p>Takes time linear in the known lanes of queues with room, but for sorting the queues where not
 * all fit. Belongs to one thread.
 */
final class LaneChooser {

  /** Knows from which due time on a lane is worth looking at. */
  @FunctionalInterface
  interface Hints {
    /** Null: from the beginning. */
    @Nullable Instant of(Lane lane);
  }

  /**
   * What to ask for.
   *
   * @param shares empty when no lane has anything for anybody with room
   * @param limit most jobs in all; 0 if there are no shares
   */
  record Choice(List<LaneShare> shares, int limit) {}

  private final LaneOrder order;
  private final Map<String, QueueTurn> turns = new HashMap<>();
  private final List<QueueTurn> asked = new ArrayList<>();
  private boolean contended;
  private double leastServed;

  /**
   * @param queues all that are ever served
   */
  LaneChooser(Collection<String> queues, LaneOrder order) {
    this.order = order;
    queues.forEach(queue -> turns.put(queue, new QueueTurn(order.weight(queue), order.reserve())));
  }

  /**
   * The shares of one claim, whose answer is to be told to {@link #claimed} unless it failed.
   *
   * @param room jobs wanted by queue, each at least 1
   * @param most jobs in all, at least 1
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
        break; // each lane is believed to hold a job
      }
      add(shares, turn, hints, now);
    }
    return new Choice(shares, (int) Math.min(wanted, most));
  }

  private void takeTurns() {
    asked.forEach(turn -> turn.servedAtLeast(leastServed));
    // Those of which nothing is expected come last, or a thousand of them could fill every claim.
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

  /** Null if the lane that has waited longest is the one that is served first anyway. */
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

  /** Learns what the last choice brought. */
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
