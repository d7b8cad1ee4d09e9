package dev.skipjack.api.spi;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a claim from a lane of a fair or limited queue.
 *
 * @param jobs the claimed jobs
 * @param isBusy whether another claim held the lock of the limit or of a group, so that another try
 *     may claim more
 * @param opensIn how long the rate of the limit permits no further start; null if it does not hold
 *     jobs
 */
public record ClaimedGroups(List<ClaimedJob> jobs, boolean isBusy, @Nullable Duration opensIn) {

  /**
   * Makes a defensive copy of the list.
   *
   * @param jobs the claimed jobs
   * @param isBusy whether another claim held a lock
   * @param opensIn how long the rate permits no further start
   */
  public ClaimedGroups {
    jobs = List.copyOf(jobs);
  }
}
