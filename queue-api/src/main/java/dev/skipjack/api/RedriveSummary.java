package dev.skipjack.api;

import java.util.Map;

/**
 * The result of redriving many jobs.
 *
 * @param redriven jobs that are pending again
 * @param refused jobs that stay dead, and why
 */
public record RedriveSummary(int redriven, Map<JobId, RedriveResult> refused) {

  /** Copies the map. */
  public RedriveSummary {
    refused = Map.copyOf(refused);
  }
}
