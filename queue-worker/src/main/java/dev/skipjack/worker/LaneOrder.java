package dev.skipjack.worker;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The order in which a started worker serves due jobs. Immutable; {@link #fair()} is the default.
 *
 * <p>Within a queue, jobs of higher priority come first, then those that have been due longer. A
 * queue's jobs of one priority are a <i>lane</i>. Unless the order is strict, a tenth of the slots
 * goes to the lane whose oldest due job has waited longest, so that a stream of jobs of higher
 * priority does not keep lower ones waiting forever.
 *
 * <p>Each queue has its own threads, which no other queue uses. So queues compete only if one claim
 * cannot take jobs for all of them: when more than 1,000 slots are free at once, and in {@link
 * Worker#runUntilIdle()}, which takes 50 jobs at a time. In these cases each queue gets a share by
 * weight, and the other queues use what a queue cannot use of its share.
 *
 * <p>{@link Worker#runUntilIdle()} and {@link Worker#runNext()} are always strict within a queue.
 *
 * @param reserve the slots that are reserved for waiting lanes
 * @param weights shares by queue, each 1 to 1,000; a queue that is not named has 1
 */
public record LaneOrder(Reserve reserve, Map<String, Integer> weights) {

  /**
   * The share of a queue's slots that is reserved for waiting lanes of lower priority. It is
   * defined only here; for another share, add a constant.
   */
  public enum Reserve {
    /** In each queue, every tenth slot goes to the lane whose oldest due job has waited longest. */
    A_TENTH(10),
    /** No slot is reserved: while a higher lane has due jobs, lower ones wait. */
    NOTHING(0);

    private final int interval;

    Reserve(int interval) {
      this.interval = interval;
    }

    /** One slot in this number is reserved; 0 if none is. */
    int interval() {
      return interval;
    }

    /** Whether the slot with this number, counted from 1, is reserved. */
    boolean isReserved(long slot) {
      return interval > 0 && slot % interval == 0;
    }
  }

  private static final int LARGEST_WEIGHT = 1_000;

  /** Copies the weights and refuses those out of range. */
  public LaneOrder {
    weights.forEach(
        (queue, weight) -> {
          if (weight < 1 || weight > LARGEST_WEIGHT) {
            throw new IllegalArgumentException(
                "Weight %d of queue '%s' is not in 1..%d."
                    .formatted(weight, queue, LARGEST_WEIGHT));
          }
        });
    weights = Collections.unmodifiableMap(new TreeMap<>(weights));
  }

  /**
   * Serves higher priorities first, but gives a tenth of the slots to the lane that has waited
   * longest. Queues have equal weight.
   */
  public static LaneOrder fair() {
    return new LaneOrder(Reserve.A_TENTH, Map.of());
  }

  /**
   * Serves higher priorities first, so that a lane may wait forever behind higher ones. Queues have
   * equal weight.
   */
  public static LaneOrder strict() {
    return new LaneOrder(Reserve.NOTHING, Map.of());
  }

  /**
   * Returns this order with other weights for some queues.
   *
   * @param weights 1 to 1,000 by queue; a queue that is not named has 1. The worker refuses queues
   *     that it does not serve.
   */
  public LaneOrder weighted(Map<String, Integer> weights) {
    return new LaneOrder(reserve, weights);
  }

  /** Returns this order with no slots reserved for waiting lanes. */
  LaneOrder withoutReserve() {
    return new LaneOrder(Reserve.NOTHING, weights);
  }

  int weight(String queue) {
    return weights.getOrDefault(queue, 1);
  }
}
