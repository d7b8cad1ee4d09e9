package dev.skipjack.api;

import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerRegistry;
import java.sql.Connection;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a worker needs of a queue. Implemented by the store's door for producers, so that one object
 * serves both.
 */
public interface QueueAccess {

  /** The port to the jobs. */
  JobStore store();

  /**
   * Extends leases on a connection of its own: a new keeper, which its caller closes. Borrows
   * nothing before the first heartbeat.
   */
  LeaseKeeper leases();

  /** The port to the history's partitions. */
  Maintenance maintenance();

  /** The port to the workers' own rows. */
  WorkerRegistry workers();

  /** The least {@code schema_version()} of a database that this version of the library works on. */
  int schemaVersion();

  /** Tells of new jobs; empty when the queue has no way to. */
  Optional<WakeUps> wakeUps();

  /** Whether {@link #wakeUps} listens on connections that are not from the worker's pool. */
  default boolean listensApart() {
    return false;
  }

  /**
   * Most connections of the pool that a worker's statements use; empty if nobody knows, because the
   * pool is of a make that does not say.
   */
  default OptionalInt poolSize() {
    return OptionalInt.empty();
  }

  /**
   * Enqueues in the transaction that is open on {@code transaction}, which is neither committed nor
   * closed: follow-up jobs of a handler.
   */
  JobEnqueuer in(Connection transaction);

  /** How payloads are read. */
  PayloadCodec codec();

  /**
   * What a handler returned, as it is written to the archive: with the queue's codec, and held to
   * the limits of payloads.
   *
   * @param kind names the job's type in a refusal
   * @param result not null
   * @return one JSON document
   * @throws PayloadException if it cannot be written as JSON, is too large, or holds what
   *     PostgreSQL refuses
   */
  String encodeResult(String kind, Object result);
}
