package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Finds attempts that started although their limit or its rate was used up, although their group
 * was paused, or although a handler had stopped all starts.
 *
 * <p>An attempt uses its limit from its start until its end in the audit. The database writes both
 * times while it holds the locks that the limit needs, so no tolerance is needed between attempts.
 * The group of a job is the one of its request, and not the one in its row.
 *
 * <p>Starts count for the rate at the time that the audit has. A throttle has taken effect when it
 * returns, and ends a given time after a moment since its request.
 *
 * <p>A change of a limit waits for claims that have begun, so it has taken effect when it returns.
 * It counts from its request, and the setting before it counts until it has returned. Attempts that
 * are running when a limit is lowered are no violation.
 */
final class LimitCheck {

  /** The clocks of two processes may differ by a lease divided by this number. */
  private static final int SLACK_DIVISOR = 10;

  private static final long NEVER = Long.MAX_VALUE;
  private static final long PERIOD = LimitedWork.PERIOD.toNanos() / 1_000;
  private static final long RETRY_AFTER = LimitedWork.RETRY_AFTER.toNanos() / 1_000;

  /** An attempt of a job with a limit. */
  private record Attempt(JobRow job, long started, long finished) {

    static Attempt of(JobRow job, ExecutionRow row) {
      return new Attempt(job, row.started(), row.finished() == 0 ? NEVER : row.finished());
    }
  }

  /** A change of the limit. */
  private static final class Change {

    private final LimitedWork.Setting setting;
    private final long requested;
    private long returned = NEVER;

    Change(LimitedWork.Setting setting, long requested) {
      this.setting = setting;
      this.requested = requested;
    }
  }

  /** The time in which a group is paused, or in which nothing starts. */
  private record Pause(long from, long to) {}

  /** The attempts that have started and not ended. */
  private static final class Running {

    private final PriorityQueue<Long> ends = new PriorityQueue<>();

    /** Adds an attempt, and returns how many are running at its start. */
    int add(Attempt attempt) {
      while (!ends.isEmpty() && ends.peek() <= attempt.started) {
        ends.remove();
      }
      ends.add(attempt.finished);
      return ends.size();
    }
  }

  private final CheckedRun run;
  private final long slack;
  private final List<Change> changes = new ArrayList<>();
  private final Map<String, List<Pause>> pauses = new HashMap<>();
  private final List<Pause> throttles = new ArrayList<>();
  private final List<Violation> violations = new ArrayList<>();

  private LimitCheck(CheckedRun run, Pace pace) {
    this.run = run;
    this.slack = pace.lease().toNanos() / 1_000 / SLACK_DIVISOR + run.read.clockError();
    Map<String, Change> open = new HashMap<>();
    Map<String, Long> paused = new HashMap<>();
    Map<Long, Long> throttling = new HashMap<>();
    for (Event event : run.events) {
      switch (event.type()) {
        case LIMIT_REQUESTED -> {
          Change change = new Change(LimitedWork.Setting.parse(event.detail()), event.micros());
          changes.add(change);
          open.put(event.process(), change);
        }
        case LIMIT_RETURNED -> {
          Change change = open.remove(event.process());
          if (change != null) {
            change.returned = event.micros();
          }
        }
        case THROTTLE_REQUESTED -> throttling.put(event.execution(), event.micros());
        case THROTTLE_RETURNED -> {
          Long requested = throttling.remove(event.execution());
          if (requested != null) {
            throttles.add(new Pause(event.micros(), requested + RETRY_AFTER));
          }
        }
        case GROUP_PAUSED -> paused.putIfAbsent(event.detail(), event.micros());
        case GROUP_RESUME_REQUESTED -> {
          Long from = paused.remove(event.detail());
          if (from != null) {
            pause(event.detail(), new Pause(from, event.micros()));
          }
        }
        default -> {} // does not concern limits
      }
    }
    paused.forEach((group, from) -> pause(group, new Pause(from, NEVER)));
  }

  private void pause(String group, Pause pause) {
    pauses.computeIfAbsent(group, each -> new ArrayList<>()).add(pause);
  }

  static List<Violation> check(CheckedRun run, Pace pace) {
    LimitCheck check = new LimitCheck(run, pace);
    check.check();
    return check.violations;
  }

  private void check() {
    List<Attempt> attempts = new ArrayList<>();
    for (List<JobRow> rows : run.jobs.values()) {
      JobRow job = rows.get(0);
      if (job.workload().equals(Workload.LIMITED.name())) {
        run.attempts(job.id()).forEach(row -> attempts.add(Attempt.of(job, row)));
      }
    }
    attempts.sort(Comparator.comparingLong(Attempt::started));
    Running all = new Running();
    Map<String, Running> groups = new HashMap<>();
    Deque<Long> starts = new ArrayDeque<>();
    for (Attempt attempt : attempts) {
      while (!starts.isEmpty() && starts.peek() <= attempt.started - PERIOD) {
        starts.remove();
      }
      starts.add(attempt.started);
      String group = LimitedWork.group(attempt.job.key());
      int ofAll = all.add(attempt);
      int ofGroup = groups.computeIfAbsent(group, each -> new Running()).add(attempt);
      LimitedWork.Setting most = mostAt(attempt.started);
      if (ofAll > most.running()) {
        violated(
            attempt,
            "An attempt started as number %d, but the limit is %d."
                .formatted(ofAll, most.running()));
      }
      if (ofGroup > most.perGroup()) {
        violated(
            attempt,
            "An attempt started as number %d of %s, but the limit per group is %d."
                .formatted(ofGroup, group, most.perGroup()));
      }
      if (starts.size() > most.starts()) {
        violated(
            attempt,
            "An attempt started as number %d in %d ms, but the rate is %d."
                .formatted(starts.size(), LimitedWork.PERIOD.toMillis(), most.starts()));
      }
      if (isIn(throttles, attempt)) {
        violated(attempt, "An attempt started although a handler had stopped all starts.");
      }
      if (wasPaused(attempt)) {
        violated(attempt, "An attempt started while its group was paused.");
      }
    }
  }

  /** Returns the highest numbers that may have been in force at a time. */
  private LimitedWork.Setting mostAt(long time) {
    LimitedWork.Setting most = new LimitedWork.Setting(0, 0, 0);
    for (Change change : changes) {
      if (change.requested - run.read.clockError() <= time && !wasReplaced(change, time)) {
        most = most.or(change.setting);
      }
    }
    return changes.isEmpty() ? LimitedWork.Setting.NONE : most;
  }

  private boolean wasReplaced(Change change, long time) {
    return changes.stream()
        .anyMatch(
            later ->
                later.requested >= change.returned
                    && later.returned != NEVER
                    && later.returned + slack < time);
  }

  private boolean wasPaused(Attempt attempt) {
    return isIn(pauses.getOrDefault(LimitedWork.group(attempt.job.key()), List.of()), attempt);
  }

  private boolean isIn(List<Pause> pauses, Attempt attempt) {
    return pauses.stream()
        .anyMatch(
            pause ->
                pause.from + slack < attempt.started
                    && (pause.to == NEVER || attempt.started < pause.to - run.read.clockError()));
  }

  private void violated(Attempt attempt, String what) {
    violations.add(
        new Violation(Counter.LIMIT_VIOLATIONS, attempt.job.id(), attempt.job.key(), what));
  }
}
