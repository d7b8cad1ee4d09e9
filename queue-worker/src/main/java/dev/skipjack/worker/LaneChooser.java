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
 * Chooses the number of jobs that a claim requests from each lane, so that successive claims
 * together follow the {@link LaneOrder}.
 *
 * <p>A claim has a cap for each lane and one limit for all lanes, and serves its lanes in order.
 * With a single queue, a claim contains all lanes of the queue, each capped at the queue's room,
 * because the limit of the claim is also the limit of the queue. With several queues that have
 * room, the caps of a queue must not add up to more than its room. Apart from the lane that
 * receives the reserve, a claim then contains only the queue's highest lane. Lower lanes follow
 * after that lane has returned fewer jobs than requested. In both cases, if one lane has too few
 * jobs, other lanes provide the rest in the same claim or the next one.
 *
 * <p>A claim contains an exhausted lane only if a low-water mark makes reading it cheap. With
 * several queues, it requests one job from such a lane, before the lane that is expected to provide
 * the rest.
 *
 * <p>The reserve of a queue is counted in fractions of a slot, and the lane that receives it comes
 * first. If one claim cannot fill the room of all queues, the queue that has been served least in
 * proportion to its weight comes first.
 *
 * <p>Confined to one thread.
 */
final class LaneChooser {

  /** Provides the due time from which a lane must be read. */
  @FunctionalInterface
  interface Hints {
    /** Returns the due time, or null to read the lane from its beginning. */
    @Nullable Instant of(Lane lane);
  }

  /**
   * The lanes and limit of a claim.
   *
   * @param shares the shares of the lanes; empty if no lane of a queue with room is expected to
   *     have a job
   * @param limit the maximum number of jobs in total; 0 if there are no shares
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
   * Returns the shares of one claim. Unless that claim fails, its result must be passed to {@link
   * #claimed}.
   *
   * @param room the number of wanted jobs by queue, each at least 1
   * @param most the maximum number of jobs in total, at least 1
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
    // Lanes that are not expected to have jobs come last, so that they cannot fill every claim.
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

  /**
   * Returns the lane, among those that are not exhausted, whose oldest due job has waited longest.
   * Returns null if that lane has the highest priority of them, or if there is none.
   */
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
