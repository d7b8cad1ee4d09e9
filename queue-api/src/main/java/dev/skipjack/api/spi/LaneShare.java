package dev.skipjack.api.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a claim may take from a lane.
 *
 * @param lane the lane
 * @param cap most jobs to take from it, at least 1
 * @param lowWater nothing due before this instant is looked at; null: everything is. A hint that
 *     saves walking dead index entries, so jobs below it are found only by a claim without it.
 */
public record LaneShare(Lane lane, int cap, @Nullable Instant lowWater) {

  /** Refuses a cap that takes nothing. */
  public LaneShare {
    if (cap < 1) {
      throw new IllegalArgumentException("Cap %d of %s is below 1.".formatted(cap, lane));
    }
  }
}
