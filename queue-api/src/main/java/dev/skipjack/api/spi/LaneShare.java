package dev.skipjack.api.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of a claim that applies to one lane.
 *
 * @param lane the lane
 * @param cap the maximum number of jobs to claim from the lane, at least 1
 * @param lowWater the instant before which due jobs are not read; null to read all. This is an
 *     optimization that avoids reading dead index entries. Jobs that were due before that instant
 *     are found only by a claim without a low-water mark
 */
public record LaneShare(Lane lane, int cap, @Nullable Instant lowWater) {

  /**
   * Creates a share.
   *
   * @param lane the lane
   * @param cap the maximum number of jobs from this lane
   * @param lowWater the instant before which due jobs are not read; null to read all
   * @throws IllegalArgumentException if {@code cap} is less than 1
   */
  public LaneShare {
    if (cap < 1) {
      throw new IllegalArgumentException("Cap %d of %s is below 1.".formatted(cap, lane));
    }
  }
}
