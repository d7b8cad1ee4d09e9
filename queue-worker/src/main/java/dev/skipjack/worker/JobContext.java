package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Describes an attempt to its handler, and offers operations on its job. Safe for any number of
 * threads, but must not be used after the attempt has ended.
 */
public interface JobContext {

  /** {@return the id of the job} */
  JobId jobId();

  /** {@return the id of this attempt, unique among all attempts of all jobs} */
  ExecutionId executionId();

  /** {@return the name of the queue from which the job was claimed} */
  String queue();

  /** {@return the kind of the job} */
  String kind();

  /** {@return the number of this attempt, from 1; snoozed and released attempts are not counted} */
  int attempt();

  /**
   * {@return the number of earlier attempts that were not counted, because they were snoozed or
   * released or preceded the latest redrive}
   */
  int uncountedAttempts();

  /** {@return the number of attempts after which a failing job becomes dead} */
  int maxAttempts();

  /** {@return the time at which the job became due, by the database's clock} */
  Instant scheduledAt();

  /**
   * {@return the planned time for which a schedule enqueued the job, or empty if no schedule
   * enqueued it} Because the job may run late, use this time to identify the period that the job is
   * for. If an operator requested that the schedule fire, this is the time of the request.
   */
  Optional<Instant> scheduledFor();

  /**
   * {@return the name of the schedule that enqueued the job, or empty if no schedule enqueued it}
   */
  Optional<String> schedule();

  /** {@return the time at which the job was claimed, by the database's clock} */
  Instant startedAt();

  /** {@return the id of the worker that runs the job} */
  WorkerId worker();

  /**
   * {@return the time that remains until the job type's timeout} The result is zero or negative
   * once the timeout has passed, and empty if the type has no timeout.
   */
  Optional<Duration> timeLeft();

  /** {@return the ordering key of the job, or empty if it has none} */
  Optional<String> orderingKey();

  /** {@return the W3C traceparent with which the job was enqueued, or empty if it had none} */
  Optional<String> traceparent();

  /**
   * {@return the headers with which the job was enqueued, by name, without those that Skipjack
   * sets} The map is unmodifiable.
   */
  Map<String, String> headers();

  /**
   * Completes the job in the handler's own transaction, so that the handler's effects and the
   * completion commit together or not at all. The handler then commits and returns {@code
   * Outcome.completed()}.
   *
   * <p>When the handler has ended, the worker checks whether that transaction was committed. If it
   * was, the job is completed, regardless of what the handler returned or threw after the commit.
   * Otherwise the attempt has failed. A handler that retries its transaction may call this method
   * again.
   *
   * <p>Use READ COMMITTED if possible. A REPEATABLE READ or SERIALIZABLE transaction cannot
   * complete a job whose lease was renewed after the first statement of the transaction (SQLSTATE
   * 40001). In such a transaction, call this method first. It locks the job's row, so the lease
   * cannot be renewed and no other worker can take the job until the transaction ends. If you call
   * it later and it fails, let the exception propagate. The worker then releases the job without
   * counting the attempt, and runs later attempts of that kind under one long lease, which is
   * renewed only after half of its duration. That lease is at least three times as long as the
   * failed attempt took, but at most 6 hours. If the worker's process is killed, such a job is
   * rescued only after that lease has expired.
   *
   * @param connection a connection with an open transaction, which this method neither commits nor
   *     rolls back
   * @throws LeaseLostException if this attempt no longer holds the job; let the exception
   *     propagate, so that the transaction is rolled back
   * @throws StoreException if the database rejected the write, for example with SQLSTATE 40001; the
   *     transaction can then only be rolled back. Let the exception propagate. If it is {@linkplain
   *     StoreException#isTransient() transient}, for example because the archive has no partition
   *     for today, the job is retried and the attempt is not counted
   */
  void completeIn(Connection connection);

  /**
   * Completes the job like {@link #completeIn(Connection)}, and stores a result with the archived
   * job. A result in the outcome that the handler returns is then ignored.
   *
   * @param connection a connection with an open transaction
   * @param result the result, or null for none
   * @throws PayloadException if the result cannot be encoded; nothing was sent to the database
   */
  void completeIn(Connection connection, @Nullable Object result);

  /**
   * {@return an enqueuer for follow-up jobs that uses the transaction open on {@code connection}}
   * If {@link #completeIn(Connection)} uses the same transaction, the follow-up jobs exist if and
   * only if this job is completed. They inherit this job's {@linkplain #headers() headers}, unless
   * they set a header of the same name.
   *
   * @param connection a connection with an open transaction
   */
  JobEnqueuer enqueueIn(Connection connection);

  /**
   * Reports the progress of the attempt, for dashboards and operators. Does not block: the worker
   * writes the latest report within about a second, unless the attempt ends before that or runs
   * under one long lease ({@link #completeIn(Connection)}).
   *
   * @param percent the progress in percent, 0 to 100
   * @param message a description, or null for none
   * @throws IllegalArgumentException if {@code percent} is out of range
   */
  void progress(int percent, @Nullable String message);

  /**
   * Stops further starts under the limit of the job's queue for a while, in all workers, because
   * the resource is overloaded. If each group of the limit has a rate of its own, only the group of
   * the job is stopped. Running jobs continue, and so does this one: return {@link
   * Outcome#throttled} to postpone it as well.
   *
   * @param retryAfter how long to stop, clamped to the range from 0 to {@link Backoff#LONGEST}. A
   *     longer stop that is in force remains
   * @return whether starts were stopped; false if the queue has no limit, or this attempt no longer
   *     holds the job
   * @throws StoreException if the database rejected the write or could not be reached
   */
  boolean throttle(Duration retryAfter);

  /**
   * Stops further starts like {@link #throttle}, but only those of the job's group.
   *
   * @param retryAfter how long to stop
   * @return whether starts were stopped
   * @throws StoreException as for {@link #throttle}
   */
  boolean throttleGroup(Duration retryAfter);

  /**
   * {@return whether the worker has received an operator's request to cancel the job} If so, it has
   * also interrupted the handler's thread or cancelled its stage. If the handler still completes
   * the job, the job is completed. If the attempt ends in any other way, the job is cancelled.
   */
  boolean isCancelled();

  /**
   * {@return whether this attempt was released by the worker or is known to have lost its lease, so
   * that its outcome will be discarded} If so, the handler's thread has been interrupted or its
   * stage cancelled. A long-running handler may call this method between steps.
   */
  boolean isLeaseLost();

  /**
   * {@return the parts of this attempt on which modules build} This method is not intended for
   * applications.
   *
   * @throws UnsupportedOperationException if this context does not come from a worker
   */
  default AttemptExtension extension() {
    throw new UnsupportedOperationException(
        "%s is not the context of a worker, so there is no attempt to extend."
            .formatted(getClass().getName()));
  }
}
