package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import java.util.Map;

/**
 * The result of redriving many jobs.
 *
 * @param redriven the number of jobs that are pending again
 * @param refused the jobs that remain dead, with the reason for each
 */
public record RedriveSummary(int redriven, Map<JobId, RedriveResult> refused) {

  /**
   * Makes a defensive copy of the map.
   *
   * @param redriven the number of jobs that are pending again
   * @param refused the jobs that remain dead, with the reason for each
   */
  public RedriveSummary {
    refused = Map.copyOf(refused);
  }
}
