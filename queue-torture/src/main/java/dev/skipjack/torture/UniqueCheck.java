package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Looks for two live jobs of one unique key.
 *
 * <p>A job's {@code created_at} is no proof that it lived then: its insert may have waited for the
 * end of the key's holder. Certain is only that it lived from its acknowledgement or its first
 * attempt on.
 */
final class UniqueCheck {

  private record Life(JobRow job, long from, long to) {}

  private UniqueCheck() {}

  static List<Violation> check(CheckedRun run) {
    Map<Long, Long> acknowledged = new HashMap<>();
    for (Event event : run.events(EventType.ACKED)) {
      acknowledged.merge(event.job(), event.micros(), Math::min);
    }
    Map<String, List<Life>> lives = new TreeMap<>();
    for (JobRow job : run.read.jobs()) {
      if (job.unique() != null && !job.unique().isEmpty()) {
        Life life = life(job, run.attempts(job.id()), acknowledged.getOrDefault(job.id(), 0L));
        if (life.from < life.to) {
          lives.computeIfAbsent(job.unique(), key -> new ArrayList<>()).add(life);
        }
      }
    }
    List<Violation> violations = new ArrayList<>();
    lives.values().forEach(ofKey -> check(ofKey, violations));
    return violations;
  }

  private static Life life(JobRow job, List<ExecutionRow> attempts, long acknowledged) {
    long from = acknowledged == 0 ? Long.MAX_VALUE : acknowledged;
    for (ExecutionRow attempt : attempts) {
      from = Math.min(from, attempt.started());
    }
    return new Life(job, from, job.ended() == 0 ? Long.MAX_VALUE : job.ended());
  }

  private static void check(List<Life> lives, List<Violation> violations) {
    lives.sort(Comparator.comparingLong(Life::from));
    long liveUntil = 0;
    for (Life life : lives) {
      if (life.from < liveUntil) {
        violations.add(
            new Violation(
                Counter.UNIQUE_VIOLATIONS,
                life.job.id(),
                life.job.key(),
                "Another job held the unique key '%s'.".formatted(life.job.unique())));
      }
      liveUntil = Math.max(liveUntil, life.to);
    }
  }
}
