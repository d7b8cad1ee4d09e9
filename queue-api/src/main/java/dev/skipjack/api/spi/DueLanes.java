package dev.skipjack.api.spi;

import java.util.List;
import java.util.Set;

/**
 * The lanes that have due jobs.
 *
 * @param lanes the lanes that have a due job, in no particular order and not including those of
 *     paused queues
 * @param paused the requested queues that are paused. The caller must not claim jobs from them
 * @param grouped the requested queues that are fair or limited. {@link JobStore#claim} claims no
 *     jobs from them, but {@link JobStore#claimGroups} does
 * @param limited those of the grouped queues that a limit binds
 */
public record DueLanes(
    List<DueLane> lanes, List<String> paused, Set<String> grouped, Set<String> limited) {

  /**
   * Makes defensive copies of the lists.
   *
   * @param lanes the lanes with due jobs
   * @param paused the queues that are paused
   * @param grouped the queues that are fair or limited
   * @param limited the queues that a limit binds
   */
  public DueLanes {
    lanes = List.copyOf(lanes);
    paused = List.copyOf(paused);
    grouped = Set.copyOf(grouped);
    limited = Set.copyOf(limited);
  }

  /**
   * Creates a list without fair and limited queues.
   *
   * @param lanes the lanes with due jobs
   * @param paused the queues that are paused
   */
  public DueLanes(List<DueLane> lanes, List<String> paused) {
    this(lanes, paused, Set.of(), Set.of());
  }
}
