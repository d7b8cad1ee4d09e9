package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An event that a worker reports to its {@link WorkerListener}s. Later versions may add events. */
public sealed interface WorkerEvent {

  /**
   * A job was claimed, or started directly by its enqueue. Its attempt may still wait for a free
   * slot.
   */
  record Claimed(AttemptInfo attempt) implements WorkerEvent {}

  /** The attempt began. The worker calls the handler next. */
  record Started(AttemptInfo attempt) implements WorkerEvent {}

  /** The job was completed. */
  record Succeeded(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The attempt failed, and the job will be retried.
   *
   * @param error the reason
   * @param retryIn the time until the next attempt
   */
  record Failed(AttemptInfo attempt, JobError error, Duration retryIn) implements WorkerEvent {}

  /**
   * The attempt failed, and the job is now dead.
   *
   * @param error the reason
   */
  record Dead(AttemptInfo attempt, JobError error) implements WorkerEvent {}

  /**
   * The handler snoozed the job.
   *
   * @param delay the time after which the job is due again, if {@code until} is null
   * @param until the instant at which the job is due again, or null if {@code delay} applies
   */
  record Snoozed(AttemptInfo attempt, Duration delay, @Nullable Instant until)
      implements WorkerEvent {}

  /** The job was cancelled by its handler or at an operator's request. */
  record Cancelled(AttemptInfo attempt) implements WorkerEvent {}

  /** The worker released the job, and the attempt does not count. */
  record Released(AttemptInfo attempt) implements WorkerEvent {}

  /** The timeout of the job's type has passed, and the handler was interrupted. */
  record TimedOut(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The handler was interrupted, because of a timeout or a lost lease, but is still running. Its
   * slot is given to another job, unless the queue already has as many stuck handlers as slots. The
   * stuck handler's job will be rescued. A handler that ignores only a cancellation never counts as
   * stuck, and its job keeps its lease.
   */
  record Stuck(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The executor did not start the attempt within the duration of a lease, or within the interrupt
   * grace if that is longer. It dropped the attempt or has too few threads. The job was released,
   * and the attempt does not count. If the executor starts the attempt later, the handler does not
   * run.
   */
  record NotBegun(AttemptInfo attempt) implements WorkerEvent {}

  /**
   * The attempt lost its job before its outcome was written, and the outcome was discarded.
   *
   * @param heldBy the execution that held the job when the loss was noticed, or null if that is
   *     unknown or no execution held the job
   */
  record Lost(AttemptInfo attempt, @Nullable ExecutionId heldBy) implements WorkerEvent {}

  /**
   * This worker rescued a job whose lease had expired. Any worker may have claimed the job.
   *
   * @param executionId the execution that lost the job
   * @param status the new status of the job: pending, dead or cancelled
   */
  record Rescued(JobId jobId, ExecutionId executionId, String queue, String kind, JobStatus status)
      implements WorkerEvent {}

  /** A queue that this worker serves was paused. */
  record QueuePaused(String queue) implements WorkerEvent {}

  /** A queue that had been paused is served again. */
  record QueueResumed(String queue) implements WorkerEvent {}

  /**
   * A run in the calling thread ({@link Worker#runUntilIdle}) has left due jobs, because a limit
   * allows no further start. A started worker does not report this.
   *
   * @param queue the queue
   * @param limit the limit
   * @param group the group that runs or has started as many jobs as it may; null if the limit holds
   *     all groups, or the jobs have no group
   * @param jobs the number of due jobs, up to about 1,000 of a group
   */
  record Held(String queue, String limit, @Nullable String group, int jobs)
      implements WorkerEvent {}

  /** The database became unavailable. Reported once per outage. */
  record DatabaseLost(Throwable error) implements WorkerEvent {}

  /**
   * The database is available again.
   *
   * @param after the duration of the outage
   */
  record DatabaseBack(Duration after) implements WorkerEvent {}

  /**
   * A thread of the worker did not get a connection within the pool's timeout, although nothing
   * indicates that the server is unreachable. Either handlers hold all connections, or the pool is
   * too small. Reported once per shortage, and without {@link DatabaseLost}.
   */
  record PoolExhausted(Throwable error) implements WorkerEvent {}

  /**
   * All threads of the worker get connections again.
   *
   * @param after the duration of the shortage
   */
  record PoolFree(Duration after) implements WorkerEvent {}

  /**
   * A schedule could not be fired and is tried again. For example, the function that returns its
   * payload threw an exception, or the database rejected its job.
   *
   * @param schedule the name of the schedule
   * @param error the reason
   * @param retryIn how long until the next try
   */
  record ScheduleFailed(String schedule, Throwable error, Duration retryIn)
      implements WorkerEvent {}

  /**
   * A schedule was declared in code, and no program has declared it for seven days. Retire it, or
   * start a program that declares it. Each worker reports this about once a day, after it has fired
   * a batch of due schedules. A paused schedule is not reported.
   *
   * @param schedule the name of the schedule
   * @param declaredAt when a program last declared it
   * @param needsCode whether the schedule needs code for its payload or its dates, so that it does
   *     not fire until a program declares it. Other schedules still fire
   */
  record ScheduleUndeclared(String schedule, Instant declaredAt, boolean needsCode)
      implements WorkerEvent {}

  /**
   * One of the worker's loops failed and is retrying. Reported once, when the failures begin. A
   * failure to declare or recalculate schedules is reported for each try.
   *
   * @param loop the name of the loop: {@code claim-loop}, {@code flusher}, {@code heartbeat},
   *     {@code rescuer}, {@code maintainer}, {@code listener}, {@code registrar}, {@code scheduler}
   *     or {@code watchdog}
   */
  record LoopFailed(String loop, Throwable error) implements WorkerEvent {}

  /**
   * A loop that had failed works again.
   *
   * @param loop the name of the loop, as in {@link LoopFailed}
   */
  record LoopRecovered(String loop) implements WorkerEvent {}
}
