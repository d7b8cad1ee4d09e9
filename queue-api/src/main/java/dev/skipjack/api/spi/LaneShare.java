package dev.skipjack.api.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of a claim that concerns one lane.
 *
 * @param lane the lane
 * @param cap maximum number of jobs to take from it, at least 1
 * @param lowWater jobs due before this instant are not read; null to read all. It is a hint that
 *     avoids reading dead index entries; jobs below it are found only by a claim without it.
 */
public record LaneShare(Lane lane, int cap, @Nullable Instant lowWater) {

  /** Rejects a cap below 1. */
  public LaneShare {
    if (cap < 1) {
      throw new IllegalArgumentException("Cap %d of %s is below 1.".formatted(cap, lane));
    }
  }
}
