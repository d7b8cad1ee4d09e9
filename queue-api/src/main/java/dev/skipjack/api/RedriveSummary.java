package dev.skipjack.api;

import java.util.Map;

/**
 * What a redrive of many did.
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
