package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import java.sql.Connection;
import java.time.Instant;

/**
 * What a handler knows about its attempt. Safe for any number of threads; of no use after the
 * handler has ended.
 */
public interface JobContext {

  /** The job. */
  JobId jobId();

  /** This attempt's identity, unique among all attempts of all jobs. */
  ExecutionId executionId();

  /** The queue it was taken from. */
  String queue();

  /** The job's kind. */
  String kind();

  /** Which attempt this is, from 1; snoozed and released ones do not count. */
  int attempt();

  /** Attempts after which the job is dead. */
  int maxAttempts();

  /** When the job had become due, by the database's clock. */
  Instant scheduledAt();

  /** When it was claimed, by the database's clock. */
  Instant startedAt();

  /** Who runs it. */
  WorkerId worker();

  /**
   * Completes the job in the handler's own transaction, so that its effects and the completion
   * commit together or not at all. The handler then commits and returns {@code
   * Outcome.completed()}.
   *
   * <p>When the handler has ended the worker looks: a job that is gone is done, whatever was
   * returned or thrown after the commit; one that is still there had its completion rolled back,
   * which is a failed attempt. May be called again when the transaction is repeated.
   *
   * @param connection with an open transaction; neither committed nor rolled back here
   * @throws LeaseLostException if this attempt no longer owns the job; let it pass, so that the
   *     transaction rolls back
   * @throws StoreException if the database refused; the transaction is then of no more use
   */
  void completeIn(Connection connection);

  /**
   * Whether somebody asked for the job to be cancelled, as far as the last heartbeat heard; the
   * thread was interrupted then. A handler that completes all the same completes the job; any other
   * end of the attempt cancels it.
   */
  boolean isCancelled();

  /**
   * Whether this attempt is known to own its job no more: whatever it answers will be discarded. A
   * long handler may ask between steps; its thread was interrupted as well.
   */
  boolean isLeaseLost();
}
