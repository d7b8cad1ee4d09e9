package dev.skipjack.api.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What {@link Maintenance#createPartitions} did.
 *
 * @param created names of the new partitions; those that were there are not listed
 * @param postponed those that are missing still
 * @param missingFrom the first instant that no partition holds, of those asked for: from then on
 *     jobs cannot be claimed or completed; empty: none is missing
 */
public record CreatedPartitions(
    List<String> created, List<Postponed> postponed, Optional<Instant> missingFrom) {

  /** Copies the lists. */
  public CreatedPartitions {
    created = List.copyOf(created);
    postponed = List.copyOf(postponed);
  }
}
