package dev.skipjack.store.jooq.internal.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The cutoffs of the queues. Archived jobs that ended before the cutoff of their queue have
 * expired.
 *
 * @param others the cutoff for queues without their own retention
 * @param byQueue the cutoffs of the queues with their own retention, by name
 */
record Cutoffs(Instant others, Map<String, Instant> byQueue) {

  /** Returns the earliest cutoff. No queue keeps jobs that ended before it. */
  Instant oldest() {
    return Collections.min(all());
  }

  /** Returns whether one of the cutoffs lies inside the partition. */
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
   * Returns the queues for which the whole partition has expired. A partition that was pruned is
   * not searched again until the result changes.
   */
  Expired expired(Partition partition) {
    Map<String, Boolean> queues = new HashMap<>();
    byQueue.forEach((queue, cutoff) -> queues.put(queue, hasExpired(partition, cutoff)));
    return new Expired(hasExpired(partition, others), Map.copyOf(queues));
  }

  private static boolean hasExpired(Partition partition, Instant cutoff) {
    return !partition.end().isAfter(cutoff);
  }

  /**
   * The queues whose jobs in a partition have all expired.
   *
   * @param others whether the jobs of the queues without their own retention have all expired
   * @param byQueue the same for each queue with its own retention, by name
   */
  record Expired(boolean others, Map<String, Boolean> byQueue) {

    boolean any() {
      return others || byQueue.containsValue(true);
    }
  }
}
