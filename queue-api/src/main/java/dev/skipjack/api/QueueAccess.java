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
 * The parts of a queue that a worker uses. The same object also implements the interface for
 * producers.
 */
public interface QueueAccess {

  /** The port for claiming and running jobs. */
  JobStore store();

  /**
   * Creates a keeper that extends leases on a connection of its own; the caller must close it. It
   * borrows no connection before its first call.
   */
  LeaseKeeper leases();

  /** The port for the partitions of the history. */
  Maintenance maintenance();

  /** The port for the workers' own rows. */
  WorkerRegistry workers();

  /** The minimum {@code schema_version()} that this version of the library requires. */
  int schemaVersion();

  /** The port that announces new jobs; empty if the queue does not support it. */
  Optional<WakeUps> wakeUps();

  /** Whether {@link #wakeUps} listens on connections that are not from the worker's pool. */
  default boolean listensApart() {
    return false;
  }

  /** Maximum size of the pool for a worker's statements; empty if the pool does not report it. */
  default OptionalInt poolSize() {
    return OptionalInt.empty();
  }

  /**
   * Returns an enqueuer for a handler's follow-up jobs.
   *
   * @param transaction a connection with an open transaction, in which the enqueuer writes; neither
   *     committed nor closed here
   */
  JobEnqueuer in(Connection transaction);

  /** The codec that reads payloads. */
  PayloadCodec codec();

  /**
   * Encodes a handler's result for the archive, with the queue's codec and the limits of payloads.
   *
   * @param kind kind of the job, for error messages
   * @param result not null
   * @return one JSON document
   * @throws PayloadException if it cannot be written as JSON, is too large, or contains a value
   *     that PostgreSQL refuses
   */
  String encodeResult(String kind, Object result);
}
