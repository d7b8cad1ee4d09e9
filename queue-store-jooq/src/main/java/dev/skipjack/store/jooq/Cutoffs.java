package dev.skipjack.store.jooq;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Before which instant nothing is kept in the archive.
 *
 * @param others of queues without a retention of their own
 * @param byQueue of the queues with one
 */
record Cutoffs(Instant others, Map<String, Instant> byQueue) {

  /** Before it no queue keeps anything. */
  Instant oldest() {
    return Collections.min(all());
  }

  /** Whether one of them lies inside the partition. */
  boolean cut(Partition partition) {
    return all().stream()
        .anyMatch(at -> at.isAfter(partition.start()) && at.isBefore(partition.end()));
  }

  private List<Instant> all() {
    List<Instant> all = new ArrayList<>(byQueue.values());
    all.add(others);
    return all;
  }

  /**
   * Which queues keep nothing at all of a partition. While two answers are equal, a partition that
   * was swept needs no second look.
   */
  Goners goners(Partition partition) {
    Map<String, Boolean> queues = new HashMap<>();
    byQueue.forEach((queue, cutoff) -> queues.put(queue, isOver(partition, cutoff)));
    return new Goners(isOver(partition, others), Map.copyOf(queues));
  }

  private static boolean isOver(Partition partition, Instant cutoff) {
    return !partition.end().isAfter(cutoff);
  }

  /**
   * For every queue whether it keeps nothing of a partition.
   *
   * @param others whether queues without a retention of their own keep nothing
   */
  record Goners(boolean others, Map<String, Boolean> byQueue) {

    boolean any() {
      return others || byQueue.containsValue(true);
    }
  }
}
