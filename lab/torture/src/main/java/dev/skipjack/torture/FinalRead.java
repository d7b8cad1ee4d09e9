package dev.skipjack.torture;

import java.util.List;
import java.util.Map;

/**
 * The content of the database at the end of a run. All times are in microseconds since 1970 by this
 * machine's clock; 0 means that there is no time.
 *
 * @param schedules the schedules, whose times are those of the database's clock
 * @param keys the ids of the jobs, by idempotency key
 * @param outbox the events of the outbox
 * @param rows how often each row of the application's table was taken, by id
 * @param steps what {@link StepCheck} found
 * @param clockError the maximum error, in microseconds, of the times converted from the database's
 *     clock; 0 if it is this machine's clock
 */
record FinalRead(
    List<JobRow> jobs,
    List<ExecutionRow> executions,
    List<EffectRow> effects,
    List<ScheduleRow> schedules,
    List<Long> keys,
    OutboxRead outbox,
    Map<Integer, Long> rows,
    List<Violation> steps,
    long clockError) {

  /**
   * A job, live or archived; a job that is both has two rows. Values missing from the payload are
   * empty.
   *
   * @param ended when the job was archived or became dead
   * @param execution the attempt that ended the job; 0 if none did
   * @param due when the last attempt was due
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
      long execution,
      long due,
      Content content) {

    boolean isScheduled() {
      return workload.equals(Workload.SCHEDULED.name());
    }
  }

  /**
   * The stored content of a job.
   *
   * @param at the due time in the request; 0 if the job was due after the delay
   * @param delay the delay after the enqueue, in milliseconds
   * @param payload the payload as JSON
   * @param header the header of the job; empty if there is none
   */
  record Content(long at, long delay, String payload, String header) {}

  /** An attempt, as recorded in the audit. */
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
   * @param next the next fire
   * @param paused when the schedule was paused; 0 if it was not
   */
  record ScheduleRow(String name, long created, long next, long paused) {

    long firstFire() {
      return created + 1;
    }
  }

  /**
   * The outbox.
   *
   * @param changes the changes of all transactions that have committed, by the id of their event
   * @param unpublished the statuses of the events that are not recorded as published, by their id
   * @param effects how often the consumer has committed the effect of an event, by its id
   */
  record OutboxRead(
      Map<String, Change> changes, Map<String, String> unpublished, Map<String, Long> effects) {}

  /** A row that a handler wrote in the transaction of its completion. */
  record EffectRow(String key, long job, long execution) {}
}
