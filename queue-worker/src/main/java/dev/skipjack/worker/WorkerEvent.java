package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a worker tells its {@link WorkerListener}s. More kinds may be added. */
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
   * @param error why
   * @param retryIn wait before the next attempt
   */
  record Failed(AttemptInfo attempt, JobError error, Duration retryIn) implements WorkerEvent {}

  /**
   * The attempt failed and the job is a dead letter.
   *
   * @param error why
   */
  record Dead(AttemptInfo attempt, JobError error) implements WorkerEvent {}

  /**
   * The handler asked for later.
   *
   * @param delay until the job is due again, unless {@code until} says
   * @param until when the job is due again; null: after the delay
   */
  record Snoozed(AttemptInfo attempt, Duration delay, @Nullable Instant until)
      implements WorkerEvent {}

  /** The job is cancelled: its handler said so, or somebody else and it did not complete. */
  record Cancelled(AttemptInfo attempt) implements WorkerEvent {}

  /** The worker released the job without using the attempt. */
  record Released(AttemptInfo attempt) implements WorkerEvent {}

  /** The type's timeout has passed and the handler was interrupted. */
  record TimedOut(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The handler was interrupted and goes on. Another slot replaces its own, up to as many as the
   * queue has. After a timeout or a lost lease its job will be rescued; a job whose cancellation
   * was requested keeps its lease until the handler ends or times out.
   */
  record Stuck(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The executor was given the attempt and has not begun it within a lease, or the interrupt grace
   * if that is longer: it dropped it, or has too few threads. The job is released without using the
   * attempt, which is not run if the executor begins it after all.
   */
  record NotBegun(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The attempt owned its job no more before its outcome was written; it changed nothing.
   *
   * @param heldBy the execution that had the job when the loss was found out; null: none, because
   *     the job waits or has ended, or the database did not say
   */
  record Lost(AttemptInfo attempt, @Nullable ExecutionId heldBy) implements WorkerEvent {}

  /**
   * This worker took back a job whose lease had run out, its own or another's.
   *
   * @param executionId the attempt that was lost
   * @param status where the job is now: pending, dead or cancelled
   */
  record Rescued(JobId jobId, ExecutionId executionId, String queue, String kind, JobStatus status)
      implements WorkerEvent {}

  /** Somebody paused a queue that this worker serves. */
  record QueuePaused(String queue) implements WorkerEvent {}

  /** That queue is served again. */
  record QueueResumed(String queue) implements WorkerEvent {}

  /** The database does not answer, or refuses everybody. Told once, when it begins. */
  record DatabaseLost(Throwable error) implements WorkerEvent {}

  /**
   * The database answers again.
   *
   * @param after how long it was lost
   */
  record DatabaseBack(Duration after) implements WorkerEvent {}

  /**
   * The pool had no free connection for a part of the worker in its time, and does not say that the
   * server could not be reached: handlers hold them all, or there are too few. Told once, when it
   * begins. {@link DatabaseLost} is not told for this.
   */
  record PoolExhausted(Throwable error) implements WorkerEvent {}

  /**
   * No part of the worker waits in vain any more.
   *
   * @param after how long the pool was exhausted
   */
  record PoolFree(Duration after) implements WorkerEvent {}

  /**
   * A part of the worker could not do its work and will try again by itself. Told once, when the
   * trouble begins.
   *
   * @param loop {@code claim-loop}, {@code flusher}, {@code heartbeat}, {@code rescuer}, {@code
   *     maintainer}, {@code listener}, {@code registrar} or {@code watchdog}
   */
  record LoopFailed(String loop, Throwable error) implements WorkerEvent {}

  /**
   * That part works again.
   *
   * @param loop as in {@link LoopFailed}
   */
  record LoopRecovered(String loop) implements WorkerEvent {}
}
