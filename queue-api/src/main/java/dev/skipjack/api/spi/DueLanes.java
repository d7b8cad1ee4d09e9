package dev.skipjack.api.spi;

import java.util.List;

/**
 * Where there is something to claim.
 *
 * @param lanes lanes that hold a due job, in no order; none of a paused queue
 * @param paused those of the queues asked for that are paused. Nothing is to be claimed from them,
 *     by whatever the caller knows of their lanes from before.
 */
public record DueLanes(List<DueLane> lanes, List<String> paused) {

  /** Copies the lists. */
  public DueLanes {
    lanes = List.copyOf(lanes);
    paused = List.copyOf(paused);
  }
}
