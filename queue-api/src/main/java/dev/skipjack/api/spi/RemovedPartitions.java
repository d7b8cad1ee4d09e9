package dev.skipjack.api.spi;

import java.util.List;

/**
 * What {@link Maintenance#removePartitions} did.
 *
 * @param removed names of the partitions that were dropped
 * @param rows archived jobs deleted from partitions that stay
 * @param postponed partitions that have something left to remove
 */
public record RemovedPartitions(List<String> removed, long rows, List<Postponed> postponed) {

  /** Copies the lists. */
  public RemovedPartitions {
    removed = List.copyOf(removed);
    postponed = List.copyOf(postponed);
  }
}
