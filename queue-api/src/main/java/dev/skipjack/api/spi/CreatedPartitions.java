package dev.skipjack.api.spi;

import java.util.List;

/**
 * What {@link Maintenance#createPartitions} did.
 *
 * @param created names of the new partitions; those that were there are not listed
 * @param postponed those that are missing still
 */
public record CreatedPartitions(List<String> created, List<Postponed> postponed) {

  /** Copies the lists. */
  public CreatedPartitions {
    created = List.copyOf(created);
    postponed = List.copyOf(postponed);
  }
}
