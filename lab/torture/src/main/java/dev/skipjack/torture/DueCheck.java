package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds attempts that started before their job was due.
 *
 * <p>The row of a job that has ended contains the time at which its last attempt was due, by the
 * same clock as the start of that attempt. For the other attempts, the check calculates the
 * earliest possible due time: a delay counts from the request, and the wait between two attempts
 * from the end of the handler.
 */
final class DueCheck {

  /** The clocks of two processes of this machine may differ by this time. */
  private static final long SLACK_MICROS = 5_000;

  private static final long RETRY_MICROS = Handlers.RETRY_DELAY.toNanos() / 1_000;

  private final CheckedRun run;
  private final Map<String, Long> requested = new HashMap<>();
  private final Map<Long, Long> ended = new HashMap<>();
  private final List<Violation> violations = new ArrayList<>();

  private DueCheck(CheckedRun run) {
    this.run = run;
    run.events(EventType.REQUESTED)
        .forEach(event -> requested.merge(event.key(), event.micros(), Math::min));
    run.events(EventType.ENDED).forEach(event -> ended.put(event.execution(), event.micros()));
  }

  static List<Violation> check(CheckedRun run) {
    DueCheck check = new DueCheck(run);
    run.jobs.values().forEach(rows -> check.checkJob(rows.get(0)));
    return check.violations;
  }

  private void checkJob(JobRow job) {
    long first = firstDue(job);
    @Nullable ExecutionRow before = null;
    for (ExecutionRow attempt : run.attempts(job.id())) {
      if (isBefore(attempt, first)) {
        early(job, "An attempt started before the job was due for the first time.");
      } else if (before != null && isBefore(attempt, nextDue(before))) {
        early(job, "An attempt started before the wait after the previous one had ended.");
      } else if (job.archived()
          && attempt.id() == job.execution()
          && attempt.started() < job.due()) {
        early(job, "The last attempt started before the job was due.");
      }
      before = attempt;
    }
  }

  private long firstDue(JobRow job) {
    long request = requested.getOrDefault(job.key(), 0L);
    return Math.max(job.content().at(), request == 0 ? 0 : request + job.content().delay() * 1_000);
  }

  private long nextDue(ExecutionRow before) {
    boolean waits = before.status().equals("failed") || before.status().equals("snoozed");
    Long end = ended.get(before.id());
    return waits && end != null ? end + RETRY_MICROS : 0;
  }

  /** Returns whether an attempt certainly started before a time. */
  private boolean isBefore(ExecutionRow attempt, long due) {
    return attempt.started() < due - run.read.clockError() - SLACK_MICROS;
  }

  private void early(JobRow job, String what) {
    violations.add(new Violation(Counter.EARLY_CLAIMS, job.id(), job.key(), what));
  }
}
