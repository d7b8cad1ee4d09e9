package dev.skipjack.worker;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The health of a worker at one moment, for liveness and readiness probes.
 *
 * @param alive whether the worker was started, and works or can recover without a restart; if
 *     false, restart the process
 * @param ready whether the worker can currently find, run and end jobs. A worker without a database
 *     is alive but not ready
 * @param reasons why the worker is not alive or not ready, one sentence per reason. A worker that
 *     is ready may have reasons too, for example if jobs have waited for slots for more than a
 *     minute, partitions cannot be created, the code of a schedule hangs, or wake-ups, maintenance
 *     or schedules have failed for more than ten seconds
 * @param sinceLastPoll the time since the last successful poll for jobs, including polls without
 *     room for more jobs; empty if there was none yet
 * @param lag how long the oldest due job of the served queues had waited when the worker last
 *     listed the due lanes, even if only other workers can handle it; zero if no job was due
 * @param databaseReachable whether the database is available. False while any thread that jobs
 *     depend on fails because the database is unavailable; maintenance, schedules and the
 *     connection for wake-ups are ignored
 * @param poolExhausted whether a thread of the worker cannot get a connection from its pool
 *     although nothing indicates that the database is unavailable
 * @param schemaCurrent whether the schema is recent enough for this version of the library; empty
 *     if that is not known yet
 * @param scheduleOverdue how long the most overdue schedule of the database had been due when the
 *     worker last renewed its row, about once a minute; zero if none was due
 */
public record WorkerHealth(
    boolean alive,
    boolean ready,
    List<String> reasons,
    Optional<Duration> sinceLastPoll,
    Duration lag,
    boolean databaseReachable,
    boolean poolExhausted,
    Optional<Boolean> schemaCurrent,
    Duration scheduleOverdue) {

  /**
   * Makes a defensive copy of the list.
   *
   * @param alive whether the worker is working, or can recover without a restart
   * @param ready whether the worker can find, run and end jobs
   * @param reasons why the worker is not alive or not ready, and other problems
   * @param sinceLastPoll the time since the last successful poll
   * @param lag how long the oldest due job had waited when the worker last listed the due lanes
   * @param databaseReachable whether the database is available
   * @param poolExhausted whether a thread of the worker cannot get a connection
   * @param schemaCurrent whether the schema is recent enough; empty if not known yet
   * @param scheduleOverdue how long the most overdue schedule had been due
   */
  public WorkerHealth {
    reasons = List.copyOf(reasons);
  }
}
