package dev.skipjack.api.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of {@link Maintenance#createPartitions}.
 *
 * @param created names of the new partitions, without those that existed before
 * @param postponed the partitions that are still missing
 * @param missingFrom the first requested instant without a partition; jobs cannot be claimed or
 *     completed from then on. Empty if no partition is missing
 */
public record CreatedPartitions(
    List<String> created, List<Postponed> postponed, Optional<Instant> missingFrom) {

  /** Copies the lists. */
  public CreatedPartitions {
    created = List.copyOf(created);
    postponed = List.copyOf(postponed);
  }
}
