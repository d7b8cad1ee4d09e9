package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The context of an attempt, as seen by its handler. Safe for any number of threads; do not use it
 * after the attempt has ended.
 */
public interface JobContext {

  /** The job. */
  JobId jobId();

  /** This attempt's identity, unique among all attempts of all jobs. */
  ExecutionId executionId();

  /** The queue that the job was claimed from. */
  String queue();

  /** The job's kind. */
  String kind();

  /** Which attempt this is, from 1; snoozed and released ones do not count. */
  int attempt();

  /** The number of attempts after which a failing job is dead. */
  int maxAttempts();

  /** When the job became due, by the database's clock. */
  Instant scheduledAt();

  /** When it was claimed, by the database's clock. */
  Instant startedAt();

  /** The worker that runs it. */
  WorkerId worker();

  /**
   * The time left until the type's timeout ends this attempt; zero or negative once it has passed,
   * empty if the type has no timeout.
   */
  Optional<Duration> timeLeft();

  /** The W3C traceparent that the job was enqueued with, if any. */
  Optional<String> traceparent();

  /**
   * Completes the job in the handler's own transaction, so that its effects and the completion
   * commit together or not at all. The handler then commits and returns {@code
   * Outcome.completed()}.
   *
   * <p>When the handler has ended, the worker checks whether the job has left the live table. If it
   * has, it is completed, whatever the handler returned or threw after the commit. Otherwise the
   * completion was rolled back, and the attempt has failed. A handler that repeats its transaction
   * may call this again.
   *
   * <p>Use READ COMMITTED. A REPEATABLE READ or SERIALIZABLE transaction cannot complete a job
   * whose lease was renewed after its first statement (SQLSTATE 40001). Call this first in such a
   * transaction: it locks the row, so that the lease cannot be renewed and no other worker can take
   * the job until the transaction ends. If it was called later and failed, let the exception
   * propagate: the worker releases the job without counting the attempt, and runs later attempts of
   * that kind under one long lease without renewals. That lease is three times as long as the
   * failed attempt took, but at most 6 hours. If the worker dies, such a job is rescued only when
   * that lease has ended.
   *
   * @param connection with an open transaction; neither committed nor rolled back here
   * @throws LeaseLostException if this attempt no longer owns the job; let it propagate, so that
   *     the transaction rolls back
   * @throws StoreException if the database refused the write, with SQLSTATE 40001 for a snapshot
   *     that is too old; the transaction can then only be rolled back. Let the exception propagate:
   *     if it is {@linkplain StoreException#isTransient() transient}, for example when the archive
   *     has no partition for today, the attempt is not counted and the job is retried
   */
  void completeIn(Connection connection);

  /**
   * Like {@link #completeIn(Connection)}, with a result that is kept with the archived job. A
   * result in the outcome that the handler returns is then ignored.
   *
   * @param result null if there is none
   * @throws PayloadException if the result cannot be written; nothing was sent
   */
  void completeIn(Connection connection, @Nullable Object result);

  /**
   * Enqueues follow-up jobs in the transaction that is open on {@code connection}. If it is the
   * transaction of {@link #completeIn(Connection)}, the follow-up jobs exist if and only if this
   * job is completed. They carry this job's {@linkplain #traceparent() trace} unless given another.
   */
  JobEnqueuer enqueueIn(Connection connection);

  /**
   * Reports the progress of the attempt, for dashboards and operators. Returns at once. The worker
   * writes the latest report within a quarter of the heartbeat interval, unless the attempt ends
   * before that.
   *
   * @param percent 0 to 100
   * @param message a description; null if there is none
   * @throws IllegalArgumentException if the percentage is out of range
   */
  void progress(int percent, @Nullable String message);

  /**
   * Whether the last heartbeat reported a request to cancel the job; the thread was then
   * interrupted. A handler that completes nevertheless completes the job; any other end of the
   * attempt cancels it.
   */
  boolean isCancelled();

  /**
   * Whether this attempt is known to have lost its job: its outcome will be discarded. A long
   * handler may check this between steps; its thread was interrupted as well.
   */
  boolean isLeaseLost();
}
