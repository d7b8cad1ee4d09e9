package dev.skipjack.api.spi;

import java.util.List;

/**
 * The result of {@link Maintenance#removePartitions}.
 *
 * @param removed names of the partitions that were dropped
 * @param rows number of archived jobs deleted from partitions that remain
 * @param postponed partitions that still contain history to remove
 */
public record RemovedPartitions(List<String> removed, long rows, List<Postponed> postponed) {

  /** Copies the lists. */
  public RemovedPartitions {
    removed = List.copyOf(removed);
    postponed = List.copyOf(postponed);
  }
}
