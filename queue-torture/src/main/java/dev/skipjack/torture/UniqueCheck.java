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

  /** By so much of a lease the clocks of two processes may differ. */
  private static final int PART_OF_LEASE = 10;

  private UniqueCheck() {}

  static List<Violation> check(CheckedRun run, Pace pace) {
    Map<Long, Long> acknowledged = new HashMap<>();
    for (Event event : run.events(EventType.ACKED)) {
      acknowledged.merge(event.job(), event.micros(), Math::min);
    }
    Map<String, List<Life>> lives = new TreeMap<>();
    for (JobRow job : run.read.jobs()) {
      if (!job.unique().isEmpty()) {
        Life life = life(job, run.attempts(job.id()), acknowledged.getOrDefault(job.id(), 0L));
        if (life.from < life.to) {
          lives.computeIfAbsent(job.unique(), key -> new ArrayList<>()).add(life);
        }
      }
    }
    List<Violation> violations = new ArrayList<>();
    lives.values().forEach(ofKey -> check(ofKey, run.read.clockError(), violations));
    checkAnswers(run, pace, violations);
    return violations;
  }

  /**
   * Who asks for a job whose key is held is told the holder: one that lived when it was asked for.
   * When a job was over is certain only from its worker: by the database it may end long before
   * that is committed.
   */
  private static void checkAnswers(CheckedRun run, Pace pace, List<Violation> violations) {
    Map<Long, Long> over = new HashMap<>();
    for (Event event : run.events(EventType.ACCEPTED)) {
      if (event.detail().equals("succeeded")) {
        over.merge(event.job(), event.micros(), Math::min);
      }
    }
    Map<String, Long> asked = new HashMap<>();
    for (Event event : run.events(EventType.ASKED)) {
      asked.merge(event.key(), event.micros(), Math::min);
    }
    long slack = pace.lease().toNanos() / 1_000 / PART_OF_LEASE;
    for (Event answer : run.events(EventType.ACKED)) {
      boolean holds = answer.detail().equals(Producer.EXISTING) && isUnique(run, answer.job());
      long from = asked.getOrDefault(answer.key(), 0L);
      if (holds && over.getOrDefault(answer.job(), Long.MAX_VALUE) < from - slack) {
        violations.add(
            new Violation(
                Counter.UNIQUE_VIOLATIONS,
                answer.job(),
                answer.key(),
                "Told as the holder of a unique key, and over before."));
      }
    }
  }

  private static boolean isUnique(CheckedRun run, long job) {
    return run.job(job).stream().anyMatch(row -> !row.unique().isEmpty());
  }

  private static Life life(JobRow job, List<ExecutionRow> attempts, long acknowledged) {
    long from = acknowledged == 0 ? Long.MAX_VALUE : acknowledged;
    for (ExecutionRow attempt : attempts) {
      from = Math.min(from, attempt.started());
    }
    return new Life(job, from, job.ended() == 0 ? Long.MAX_VALUE : job.ended());
  }

  private static void check(List<Life> lives, long clockError, List<Violation> violations) {
    lives.sort(Comparator.comparingLong(Life::from));
    long liveUntil = 0;
    for (Life life : lives) {
      if (life.from + clockError < liveUntil) {
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
