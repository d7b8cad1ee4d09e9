package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An event that a worker reports to its {@link WorkerListener}s. More kinds may be added. */
public sealed interface WorkerEvent {

  /** A job was claimed; its attempt may wait for a free thread. */
  record Claimed(AttemptInfo attempt) implements WorkerEvent {}

  /** The handler begins to run. */
  record Started(AttemptInfo attempt) implements WorkerEvent {}

  /** The job is completed. */
  record Succeeded(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The attempt failed and the job waits for another.
   *
   * @param error the reason
   * @param retryIn wait before the next attempt
   */
  record Failed(AttemptInfo attempt, JobError error, Duration retryIn) implements WorkerEvent {}

  /**
   * The attempt failed and the job is a dead letter.
   *
   * @param error the reason
   */
  record Dead(AttemptInfo attempt, JobError error) implements WorkerEvent {}

  /**
   * The handler snoozed the job.
   *
   * @param delay until the job is due again, if {@code until} is null
   * @param until when the job is due again; null if it is due after the delay
   */
  record Snoozed(AttemptInfo attempt, Duration delay, @Nullable Instant until)
      implements WorkerEvent {}

  /** The job is cancelled, by its handler or on an operator's request. */
  record Cancelled(AttemptInfo attempt) implements WorkerEvent {}

  /** The worker released the job without using the attempt. */
  record Released(AttemptInfo attempt) implements WorkerEvent {}

  /** The type's timeout has passed and the handler was interrupted. */
  record TimedOut(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The handler was interrupted and still runs. Its slot is given to another job; a queue with N
   * slots does this for at most N stuck handlers at a time. After a timeout or a lost lease, the
   * stuck handler's job will be rescued; a job whose cancellation was requested keeps its lease
   * until the handler ends or times out.
   */
  record Stuck(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The executor did not begin the attempt within a lease, or within the interrupt grace if that is
   * longer: it dropped the attempt or has too few threads. The job is released without using the
   * attempt. If the executor begins it later, the handler does not run.
   */
  record NotBegun(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The attempt lost its job before its outcome was written, and the outcome was discarded.
   *
   * @param heldBy the execution that held the job when the loss was noticed; null if unknown, or if
   *     none did because the job waits or has ended
   */
  record Lost(AttemptInfo attempt, @Nullable ExecutionId heldBy) implements WorkerEvent {}

  /**
   * This worker rescued a job whose lease had expired, its own or another worker's.
   *
   * @param executionId the attempt that was lost
   * @param status the status of the job now: pending, dead or cancelled
   */
  record Rescued(JobId jobId, ExecutionId executionId, String queue, String kind, JobStatus status)
      implements WorkerEvent {}

  /** A queue that this worker serves has been paused. */
  record QueuePaused(String queue) implements WorkerEvent {}

  /** A queue that had been paused is served again. */
  record QueueResumed(String queue) implements WorkerEvent {}

  /** The database is unavailable. Reported once, when the outage begins. */
  record DatabaseLost(Throwable error) implements WorkerEvent {}

  /**
   * The database is available again.
   *
   * @param after how long it was unavailable
   */
  record DatabaseBack(Duration after) implements WorkerEvent {}

  /**
   * A part of the worker waited for a connection until the pool's timeout, and the pool does not
   * report that the server is unreachable: handlers hold all connections, or there are too few.
   * Reported once, when it begins, and without {@link DatabaseLost}.
   */
  record PoolExhausted(Throwable error) implements WorkerEvent {}

  /**
   * Every part of the worker gets connections again.
   *
   * @param after how long the pool was exhausted
   */
  record PoolFree(Duration after) implements WorkerEvent {}

  /**
   * A part of the worker failed and retries by itself. Reported once, when the failures begin.
   *
   * @param loop {@code claim-loop}, {@code flusher}, {@code heartbeat}, {@code rescuer}, {@code
   *     maintainer}, {@code listener}, {@code registrar} or {@code watchdog}
   */
  record LoopFailed(String loop, Throwable error) implements WorkerEvent {}

  /**
   * A part of the worker that had failed works again.
   *
   * @param loop as in {@link LoopFailed}
   */
  record LoopRecovered(String loop) implements WorkerEvent {}
}
