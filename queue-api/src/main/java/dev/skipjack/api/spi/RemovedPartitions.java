package dev.skipjack.api.spi;

import java.util.List;

/**
 * The result of {@link Maintenance#removePartitions}.
 *
 * @param removed the names of the partitions that were dropped
 * @param rows the number of archived jobs that were deleted from the remaining partitions
 * @param postponed the partitions that still contain history to remove
 */
public record RemovedPartitions(List<String> removed, long rows, List<Postponed> postponed) {

  /**
   * Makes defensive copies of the lists.
   *
   * @param removed the names of the removed partitions
   * @param rows the number of archived jobs that were deleted
   * @param postponed the partitions that were left for later
   */
  public RemovedPartitions {
    removed = List.copyOf(removed);
    postponed = List.copyOf(postponed);
  }
}
