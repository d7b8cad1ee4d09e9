package dev.skipjack.worker;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Defines the order in which a started worker serves due jobs. Immutable; {@link #fair()} is the
 * default.
 *
 * <p>Within a queue, jobs of higher priority are served first, and jobs of equal priority in the
 * order in which they became due. The jobs of one queue and one priority form a <i>lane</i>. Unless
 * the order is strict, a tenth of the slots is reserved for the lane whose oldest due job has
 * waited longest. A steady stream of jobs of high priority therefore does not starve the others.
 *
 * <p>Each queue has its own slots. Queues compete only if one claim cannot fill all free slots, for
 * example when more than 1,000 are free at once, and in {@link Worker#runUntilIdle()}, which claims
 * 50 jobs at a time. Each queue then gets a share of the claim in proportion to its weight, and the
 * unused part of a share goes to the other queues.
 *
 * <p>{@link Worker#runUntilIdle()} and {@link Worker#runNext()} are always strict within a queue.
 *
 * @param reserve the slots that are reserved for waiting lanes
 * @param weights the weight of each queue, 1 to 1,000; a queue that is not named has weight 1
 */
public record LaneOrder(Reserve reserve, Map<String, Integer> weights) {

  /** The share of a queue's slots that is reserved for waiting lanes of lower priority. */
  public enum Reserve {
    /** In each queue, every tenth slot goes to the lane whose oldest due job has waited longest. */
    A_TENTH(10),
    /** No slot is reserved: lanes of lower priority wait while a higher lane has due jobs. */
    NOTHING(0);

    private final int interval;

    Reserve(int interval) {
      this.interval = interval;
    }

    /** Returns the number of slots of which one is reserved, or 0 if none is. */
    int interval() {
      return interval;
    }

    /** Returns whether the slot with this number, counted from 1, is reserved. */
    boolean isReserved(long slot) {
      return interval > 0 && slot % interval == 0;
    }
  }

  private static final int LARGEST_WEIGHT = 1_000;

  /**
   * Copies the weights.
   *
   * @param reserve the share of the slots that is reserved
   * @param weights the weights of the queues, by name
   * @throws IllegalArgumentException if a weight is out of range
   */
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
   * {@return the order that serves higher priorities first but reserves a tenth of the slots for
   * the lane that has waited longest} All queues have equal weight.
   */
  public static LaneOrder fair() {
    return new LaneOrder(Reserve.A_TENTH, Map.of());
  }

  /**
   * {@return the order that always serves higher priorities first, so that a lane may wait
   * indefinitely behind higher ones} All queues have equal weight.
   */
  public static LaneOrder strict() {
    return new LaneOrder(Reserve.NOTHING, Map.of());
  }

  /**
   * {@return a copy with the given weights}
   *
   * @param weights the weight of each queue, 1 to 1,000; a queue that is not named has weight 1,
   *     and {@link Worker.Builder#build()} rejects a queue that the worker does not serve
   */
  public LaneOrder weighted(Map<String, Integer> weights) {
    return new LaneOrder(reserve, weights);
  }

  /** Returns a copy that reserves no slots for waiting lanes. */
  LaneOrder withoutReserve() {
    return new LaneOrder(Reserve.NOTHING, weights);
  }

  int weight(String queue) {
    return weights.getOrDefault(queue, 1);
  }
}
