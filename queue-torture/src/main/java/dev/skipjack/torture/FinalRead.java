package dev.skipjack.torture;

import java.util.List;

/**
 * The content of the database at the end of a run. All times are in microseconds since 1970 by this
 * machine's clock, 0 if there is none.
 *
 * @param schedules the schedules, with times of the database's clock
 * @param keys ids of the jobs that idempotency keys refer to
 * @param clockError the largest error of the times, in microseconds, because they come from the
 *     database's clock; 0 if that is this machine's
 */
record FinalRead(
    List<JobRow> jobs,
    List<ExecutionRow> executions,
    List<EffectRow> effects,
    List<ScheduleRow> schedules,
    List<Long> keys,
    long clockError) {

  /**
   * A job, live or archived; a job that is both has two rows. Values that the payload lacks are
   * empty.
   *
   * @param ended when it was archived or became dead
   * @param execution the attempt that ended it; 0 if none did
   */
  record JobRow(
      long id,
      String status,
      boolean archived,
      String key,
      String workload,
      String unique,
      String ordering,
      int attempts,
      int uncountedAttempts,
      int maxAttempts,
      long created,
      long ended,
      long execution) {

    /** Returns whether a schedule enqueued it. */
    boolean isScheduled() {
      return workload.equals(Workload.SCHEDULED.name());
    }
  }

  /** An attempt, as the audit shows it. */
  record ExecutionRow(
      long id,
      long job,
      int attempt,
      String status,
      long started,
      long finished,
      String process,
      String error) {}

  /**
   * A schedule that fires every second. Times are in seconds since 1970 by the database's clock,
   * rounded down.
   *
   * @param next its next fire
   * @param paused when it was paused; 0 if it was not
   */
  record ScheduleRow(String name, long created, long next, long paused) {

    /** Returns the time of its first fire. */
    long firstFire() {
      return created + 1;
    }
  }

  /** A row that a handler wrote in the transaction of its completion. */
  record EffectRow(String key, long job, long execution) {}
}
