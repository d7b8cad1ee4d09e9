package dev.skipjack.api.spi;

import java.util.List;

/**
 * The lanes that have due jobs.
 *
 * @param lanes the lanes that have a due job, in no particular order and not including those of
 *     paused queues
 * @param paused the requested queues that are paused. The caller must not claim jobs from them
 */
public record DueLanes(List<DueLane> lanes, List<String> paused) {

  /**
   * Makes defensive copies of the lists.
   *
   * @param lanes the lanes with due jobs
   * @param paused the queues that are paused
   */
  public DueLanes {
    lanes = List.copyOf(lanes);
    paused = List.copyOf(paused);
  }
}
