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
 * Finds jobs that held the same unique key at the same time.
 *
 * <p>A job's {@code created_at} does not prove that the job was live at that time, because its
 * insert may have waited for the end of the holder. A job was certainly live from its
 * acknowledgement or its first attempt, whichever came first.
 */
final class UniqueCheck {

  private record Lifetime(JobRow job, long from, long to) {}

  /** The clocks of two processes may differ by a lease divided by this number. */
  private static final int SLACK_DIVISOR = 10;

  private UniqueCheck() {}

  static List<Violation> check(CheckedRun run, Pace pace) {
    Map<Long, Long> acknowledged = new HashMap<>();
    for (Event event : run.events(EventType.ACKNOWLEDGED)) {
      acknowledged.merge(event.job(), event.micros(), Math::min);
    }
    Map<String, List<Lifetime>> lifetimes = new TreeMap<>();
    for (JobRow job : run.read.jobs()) {
      if (!job.unique().isEmpty()) {
        Lifetime lifetime =
            lifetime(job, run.attempts(job.id()), acknowledged.getOrDefault(job.id(), 0L));
        if (lifetime.from < lifetime.to) {
          lifetimes.computeIfAbsent(job.unique(), key -> new ArrayList<>()).add(lifetime);
        }
      }
    }
    List<Violation> violations = new ArrayList<>();
    lifetimes.values().forEach(ofKey -> check(ofKey, run.read.clockError(), violations));
    checkReturnedHolders(run, pace, violations);
    return violations;
  }

  /**
   * Checks requests that returned the holder of their key. The holder must have been live at some
   * time since the request. Only the acknowledgement to its worker proves that a job had ended,
   * because the end recorded in the database may be much earlier than the commit.
   */
  private static void checkReturnedHolders(CheckedRun run, Pace pace, List<Violation> violations) {
    Map<Long, Long> completed = new HashMap<>();
    for (Event event : run.events(EventType.ACCEPTED)) {
      if (event.detail().equals("succeeded")) {
        completed.merge(event.job(), event.micros(), Math::min);
      }
    }
    Map<String, Long> requested = new HashMap<>();
    for (Event event : run.events(EventType.REQUESTED)) {
      requested.merge(event.key(), event.micros(), Math::min);
    }
    long slack = pace.lease().toNanos() / 1_000 / SLACK_DIVISOR;
    for (Event returned : run.events(EventType.ACKNOWLEDGED)) {
      boolean holds = returned.detail().equals(Producer.EXISTING) && isUnique(run, returned.job());
      long from = requested.getOrDefault(returned.key(), 0L);
      if (holds && completed.getOrDefault(returned.job(), Long.MAX_VALUE) < from - slack) {
        violations.add(
            new Violation(
                Counter.UNIQUE_VIOLATIONS,
                returned.job(),
                returned.key(),
                "The job was returned as the holder of a unique key, but had completed before the request."));
      }
    }
  }

  private static boolean isUnique(CheckedRun run, long job) {
    return run.job(job).stream().anyMatch(row -> !row.unique().isEmpty());
  }

  private static Lifetime lifetime(JobRow job, List<ExecutionRow> attempts, long acknowledged) {
    long from = acknowledged == 0 ? Long.MAX_VALUE : acknowledged;
    for (ExecutionRow attempt : attempts) {
      from = Math.min(from, attempt.started());
    }
    return new Lifetime(job, from, job.ended() == 0 ? Long.MAX_VALUE : job.ended());
  }

  private static void check(List<Lifetime> lifetimes, long clockError, List<Violation> violations) {
    lifetimes.sort(Comparator.comparingLong(Lifetime::from));
    long liveUntil = 0;
    for (Lifetime lifetime : lifetimes) {
      if (lifetime.from + clockError < liveUntil) {
        violations.add(
            new Violation(
                Counter.UNIQUE_VIOLATIONS,
                lifetime.job.id(),
                lifetime.job.key(),
                "Another job held the unique key '%s'.".formatted(lifetime.job.unique())));
      }
      liveUntil = Math.max(liveUntil, lifetime.to);
    }
  }
}
