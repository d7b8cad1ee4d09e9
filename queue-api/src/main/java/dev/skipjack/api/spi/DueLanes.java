package dev.skipjack.api.spi;

import java.util.List;

/**
 * The lanes with due jobs.
 *
 * @param lanes lanes with a due job, in no particular order, without those of paused queues
 * @param paused the requested queues that are paused. Nothing must be claimed from them, even if
 *     the caller knows their lanes from earlier.
 */
public record DueLanes(List<DueLane> lanes, List<String> paused) {

  /** Copies the lists. */
  public DueLanes {
    lanes = List.copyOf(lanes);
    paused = List.copyOf(paused);
  }
}
