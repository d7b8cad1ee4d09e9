package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Creates fake claims and their results. */
final class ClaimAnswers {

  private ClaimAnswers() {}

  static ClaimedJob job(Lane lane, Instant scheduledAt, Instant startedAt) {
    return job(lane, "{}", scheduledAt, startedAt);
  }

  static ClaimedJob job(Lane lane, String payload, Instant scheduledAt) {
    return job(lane, payload, scheduledAt, scheduledAt);
  }

  static ClaimedJob ordered(Lane lane, Instant scheduledAt, Instant startedAt) {
    return job(
        lane, "{}", scheduledAt, new Execution(new JobId(1), new ExecutionId(1), startedAt, "key"));
  }

  private static ClaimedJob job(Lane lane, String payload, Instant scheduledAt, Instant startedAt) {
    return job(
        lane, payload, scheduledAt, new Execution(new JobId(1), new ExecutionId(1), startedAt));
  }

  private static ClaimedJob job(
      Lane lane, String payload, Instant scheduledAt, Execution execution) {
    return new ClaimedJob(
        execution, lane.queue(), "k", payload, 1, lane.priority(), 1, 0, 3, scheduledAt, Map.of());
  }

  static ClaimAnswer of(
      List<LaneShare> shares, int limit, List<ClaimedJob> jobs, Duration duration) {
    ClaimRequest request =
        new ClaimRequest(
            WorkerId.boot("test"), shares, List.of("k"), limit, Duration.ofSeconds(30));
    return new ClaimAnswer(request, jobs, duration.toNanos());
  }
}
