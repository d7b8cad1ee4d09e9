package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.JobRow;
import dev.skipjack.torture.FinalRead.ScheduleRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares the live and archived jobs of each schedule with its past fires: one per second, from
 * its creation to its next fire. Uses only times of the database.
 */
final class FireCheck {

  /** The maximum time by which the next fire of a schedule may precede its pause. */
  private static final long MAX_BEHIND_SECONDS = 10;

  private final Map<String, Map<Long, List<JobRow>>> fires = new TreeMap<>();
  private final List<Violation> violations = new ArrayList<>();

  private FireCheck(CheckedRun run) {
    for (List<JobRow> rows : run.jobs.values()) {
      JobRow job = rows.get(0);
      if (job.isScheduled()) {
        fires
            .computeIfAbsent(ScheduledWork.schedule(job.key()), name -> new TreeMap<>())
            .computeIfAbsent(ScheduledWork.second(job.key()), second -> new ArrayList<>())
            .add(job);
      }
    }
  }

  static List<Violation> check(CheckedRun run) {
    FireCheck check = new FireCheck(run);
    Map<String, ScheduleRow> schedules = new HashMap<>();
    run.read.schedules().forEach(schedule -> schedules.put(schedule.name(), schedule));
    check.fires.forEach((name, seconds) -> check.checkJobs(schedules.get(name), seconds));
    schedules.values().forEach(check::checkSchedule);
    return check.violations;
  }

  private void checkJobs(@Nullable ScheduleRow schedule, Map<Long, List<JobRow>> seconds) {
    seconds.forEach(
        (second, jobs) -> {
          if (jobs.size() > 1) {
            violated(
                Counter.DOUBLE_FIRES,
                jobs.get(1).id(),
                jobs.get(1).key(),
                "One fire enqueued several jobs.");
          }
          if (schedule == null || second < schedule.firstFire() || second >= schedule.next()) {
            violated(
                Counter.UNEXPECTED,
                jobs.get(0).id(),
                jobs.get(0).key(),
                "The schedule has not fired at this time.");
          }
        });
  }

  private void checkSchedule(ScheduleRow schedule) {
    Map<Long, List<JobRow>> seconds = fires.getOrDefault(schedule.name(), Map.of());
    boolean latestOnly = schedule.name().equals(ScheduledWork.LATEST_ONLY);
    long from =
        latestOnly ? Math.max(schedule.firstFire(), schedule.next() - 1) : schedule.firstFire();
    for (long second = from; second < schedule.next(); second++) {
      if (!seconds.containsKey(second)) {
        violated(
            Counter.LOST_FIRES,
            0,
            ScheduledWork.key(schedule.name(), second),
            "The schedule has passed a fire without a job.");
      }
    }
    if (schedule.next() < schedule.paused() - MAX_BEHIND_SECONDS) {
      violated(
          Counter.LOST_FIRES,
          0,
          ScheduledWork.key(schedule.name(), schedule.next()),
          "The schedule has not fired for %d s.".formatted(schedule.paused() - schedule.next()));
    }
  }

  private void violated(Counter counter, long job, String key, String what) {
    violations.add(new Violation(counter, job, key, what));
  }
}
