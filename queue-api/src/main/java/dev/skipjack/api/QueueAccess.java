package dev.skipjack.api;

import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerRegistry;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Gives a worker access to the parts of a queue that it needs. The implementing object is usually
 * the queue that producers use as well.
 */
public interface QueueAccess {

  /** {@return the store, through which jobs are claimed and their outcomes recorded} */
  JobStore store();

  /**
   * Creates a lease keeper, which renews leases on a separate connection. The keeper does not
   * borrow the connection until it is first used, and the caller must close it.
   *
   * @return the lease keeper
   */
  LeaseKeeper leases();

  /** {@return the operations that maintain the history's partitions and delete expired rows} */
  Maintenance maintenance();

  /** {@return the registry in which workers announce themselves} */
  WorkerRegistry workers();

  /** {@return the minimum {@code schema_version()} that this version of the library requires} */
  int schemaVersion();

  /** {@return the wake-ups that announce new jobs, or empty if the queue does not support them} */
  Optional<WakeUps> wakeUps();

  /**
   * {@return the store through which workers fire schedules, or empty if the queue does not support
   * schedules}
   */
  default Optional<ScheduleStore> scheduleStore() {
    return Optional.empty();
  }

  /**
   * {@return the operations on jobs with an ordering key, or empty if the queue does not support
   * ordering keys}
   */
  default Optional<OrderedJobs> orderedJobs() {
    return Optional.empty();
  }

  /**
   * {@return the checks after the end of a job with an owner, or empty if no module on the class
   * path uses owners}
   */
  default Optional<OwnedJobs> ownedJobs() {
    return Optional.empty();
  }

  /**
   * {@return the running workers of this process that can start new jobs without a claim, or empty
   * if all jobs must be claimed}
   */
  default Optional<LocalWorkers> localWorkers() {
    return Optional.empty();
  }

  /** {@return the periodic work of the modules on the class path; empty if there is none} */
  default List<Sweeper> sweepers() {
    return List.of();
  }

  /**
   * {@return whether {@link #wakeUps} listens on connections that do not come from the worker's
   * pool}
   */
  default boolean listensApart() {
    return false;
  }

  /**
   * {@return the maximum size of the connection pool that the worker's statements use, or empty if
   * the pool does not report it}
   */
  default OptionalInt poolSize() {
    return OptionalInt.empty();
  }

  /**
   * {@return an enqueuer for a handler's follow-up jobs}
   *
   * @param transaction a connection with an open transaction, in which the enqueuer writes. The
   *     enqueuer neither commits the transaction nor closes the connection
   */
  JobEnqueuer in(Connection transaction);

  /** {@return the codec that encodes and decodes payloads} */
  PayloadCodec codec();

  /**
   * Encodes a handler's result for the archive, using the queue's codec and the limits for
   * payloads.
   *
   * @param kind the kind of the job, for error messages
   * @param result the result; not null
   * @return the result as a JSON document
   * @throws PayloadException if the result cannot be encoded as JSON, is too large, or contains a
   *     value that PostgreSQL rejects
   */
  String encodeResult(String kind, Object result);
}
