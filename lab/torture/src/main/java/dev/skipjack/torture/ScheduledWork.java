package dev.skipjack.torture;

import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.Schedules;
import java.time.Duration;
import java.util.List;

/**
 * The schedules of a run. Each fires every second and enqueues a job whose key contains the time of
 * the fire.
 */
final class ScheduledWork {

  static final String NAMES = "torture-%";

  /** The schedule that may skip missed fires, except the latest one. */
  static final String LATEST_ONLY = "torture-once";

  private static final String INTERVAL = "torture-interval";
  private static final String CRON = "torture-cron";
  private static final char SEPARATOR = '@';

  /** Counts the schedules whose next fire is due. */
  static final String OVERDUE =
      "SELECT count(*) FROM @job_schedules WHERE next_at <= clock_timestamp() AND name LIKE '%s'"
          .formatted(NAMES);

  private ScheduledWork() {}

  /** Returns the schedules, which all workers declare. */
  static List<Schedule> schedules() {
    Missed all = Missed.all(Missed.LARGEST);
    Duration second = Duration.ofSeconds(1);
    return List.of(
        schedule(INTERVAL, Schedule.every(second)).missed(all),
        schedule(CRON, Schedule.cron("* * * * * *").zone("Europe/Berlin")).missed(all),
        schedule(LATEST_ONLY, Schedule.every(second)).missed(Missed.once()));
  }

  private static Schedule schedule(String name, Schedule.Unnamed timing) {
    return timing
        .named(name)
        .enqueueFrom(
            Work.type(Workload.SCHEDULED),
            fire -> Work.scheduled(key(name, fire.getEpochSecond())));
  }

  /** Returns the key of the job that a schedule enqueues for a time, in seconds since 1970. */
  static String key(String schedule, long second) {
    return schedule + SEPARATOR + second;
  }

  static String schedule(String key) {
    return key.substring(0, key.indexOf(SEPARATOR));
  }

  static long second(String key) {
    return Long.parseLong(key.substring(key.indexOf(SEPARATOR) + 1));
  }

  /** Pauses the schedules to let the queue drain. */
  static void pause(Schedules schedules) {
    schedules().forEach(schedule -> schedules.pause(schedule.name()));
  }
}
