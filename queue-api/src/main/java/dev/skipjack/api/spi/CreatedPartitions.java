package dev.skipjack.api.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of {@link Maintenance#createPartitions}.
 *
 * @param created the names of the new partitions, not including those that already existed
 * @param postponed the partitions that are still missing
 * @param missingFrom the first requested instant without a partition. From then, jobs can be
 *     neither claimed nor completed. Empty if no partition is missing
 */
public record CreatedPartitions(
    List<String> created, List<Postponed> postponed, Optional<Instant> missingFrom) {

  /**
   * Makes defensive copies of the lists.
   *
   * @param created the names of the new partitions
   * @param postponed the partitions that were left for later
   * @param missingFrom the first requested instant without a partition
   */
  public CreatedPartitions {
    created = List.copyOf(created);
    postponed = List.copyOf(postponed);
  }
}
