package dev.skipjack.worker;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How a worker does at one moment, for the probes of whatever runs the process.
 *
 * @param alive whether it is at work or can get there by itself. If not, restart the process
 * @param ready whether it finds, runs and ends jobs now. An unavailable database makes a worker
 *     unready and not dead: a restart would not help
 * @param reasons why it is not alive or not ready, in words, and what an operator should know while
 *     it is ready: partitions that cannot be created, days ahead; wake-ups or maintenance that have
 *     failed for more than ten seconds
 * @param sinceLastPoll time since the last look for jobs that worked, those included that found no
 *     room for more; empty: none yet
 * @param lag how long the oldest due job of the served queues had waited at that look, whoever can
 *     handle it; zero if none was due
 * @param databaseReachable false from the first failure of a thread that jobs depend on, for want
 *     of the database, until no such thread still fails for that reason. The connection that
 *     listens for wake-ups, and maintenance, do not count
 * @param poolExhausted whether a part of the worker waits in vain for a connection of its pool, and
 *     nothing says that the database is to blame
 * @param schemaCurrent whether the schema has what this version of the library needs; empty: not
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
