package dev.skipjack.worker;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The health of a worker at one moment, for liveness and readiness probes.
 *
 * @param alive whether it works or can recover by itself. If not, restart the process
 * @param ready whether it finds, runs and ends jobs now. An unavailable database makes a worker not
 *     ready, but it is still alive: a restart would not help
 * @param reasons sentences on why it is not alive or not ready, and on problems that an operator
 *     should know of while it is ready: partitions that cannot be created, reported days ahead;
 *     wake-ups or maintenance that have failed for more than ten seconds
 * @param sinceLastPoll time since the last successful poll for jobs, including polls without room
 *     for more jobs; empty if there was none yet
 * @param lag how long the oldest due job of the served queues had waited at that poll, whichever
 *     worker can handle it; zero if none was due
 * @param databaseReachable whether the database can be reached. False as soon as a thread that jobs
 *     depend on fails because the database is unavailable, until no such thread fails for that
 *     reason. The connection that listens for wake-ups, and maintenance, do not count
 * @param poolExhausted whether a part of the worker cannot get a connection from its pool, and no
 *     failure shows that the database is the cause
 * @param schemaCurrent whether the schema has what this version of the library needs; empty if not
 *     known yet
 */
public record WorkerHealth(
    boolean alive,
    boolean ready,
    List<String> reasons,
    Optional<Duration> sinceLastPoll,
    Duration lag,
    boolean databaseReachable,
    boolean poolExhausted,
    Optional<Boolean> schemaCurrent) {

  /** Copies the list. */
  public WorkerHealth {
    reasons = List.copyOf(reasons);
  }
}
