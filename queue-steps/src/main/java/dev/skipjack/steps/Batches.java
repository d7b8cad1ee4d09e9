package dev.skipjack.steps;

import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;

/** Opens batches: sets of jobs with a common end. Immutable and safe for any number of threads. */
public final class Batches {

  private Batches() {}

  /**
   * {@return an instance for batches of jobs of {@code queue}} Create one instance and share it.
   *
   * @param queue the queue
   */
  public static Batches on(JobQueue queue) {
    throw new UnsupportedOperationException();
  }

  /**
   * {@return an instance that works in the transaction that is open on {@code transaction}}
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   */
  public Batches in(Connection transaction) {
    throw new UnsupportedOperationException();
  }

  /**
   * {@return a new batch, to which jobs are added until it is sealed}
   *
   * @param name a name for operators; several batches may have the same
   */
  public Batch open(String name) {
    throw new UnsupportedOperationException();
  }
}
