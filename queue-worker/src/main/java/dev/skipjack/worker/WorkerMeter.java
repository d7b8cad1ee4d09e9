package dev.skipjack.worker;

import org.jspecify.annotations.Nullable;

/**
 * The meters of a worker, with their names in monitoring systems. Their names and meanings are part
 * of the public API. Meters of jobs have the tags {@code queue} and {@code kind}. The others have
 * only the worker's name. No tag contains a job's id or payload.
 */
public enum WorkerMeter {
  /** Jobs that were claimed, or that their enqueues started directly. */
  CLAIMED("skipjack.jobs.claimed", Type.COUNTER, "Jobs claimed"),
  /** Jobs completed. */
  COMPLETED("skipjack.jobs.completed", Type.COUNTER, "Jobs completed"),
  /** Failed attempts whose job will be retried. */
  FAILED("skipjack.jobs.failed", Type.COUNTER, "Failed attempts whose job is retried"),
  /** Jobs that became dead letters. */
  DEAD("skipjack.jobs.dead", Type.COUNTER, "Jobs that became dead letters"),
  /** Attempts whose handler snoozed the job. */
  SNOOZED("skipjack.jobs.snoozed", Type.COUNTER, "Attempts whose handler snoozed the job"),
  /** Jobs that ended as cancelled. */
  CANCELLED("skipjack.jobs.cancelled", Type.COUNTER, "Jobs that ended as cancelled"),
  /** Attempts released by the worker, for example when it stops. */
  RELEASED("skipjack.jobs.released", Type.COUNTER, "Attempts released by the worker"),
  /** Attempts that lost their lease and whose outcome was discarded. */
  LOST("skipjack.jobs.lost", Type.COUNTER, "Attempts that lost their lease"),
  /** Jobs that this worker rescued after their lease had expired. */
  RESCUED("skipjack.jobs.rescued", Type.COUNTER, "Jobs rescued after their lease expired"),
  /** Attempts that were interrupted because their type's timeout had passed. */
  TIMED_OUT("skipjack.jobs.timed.out", Type.COUNTER, "Attempts that timed out"),
  /** Handlers that became stuck ({@link WorkerEvent.Stuck}). */
  STUCK("skipjack.jobs.stuck", Type.COUNTER, "Handlers that did not end when interrupted"),
  /** Attempts that failed because their payload could not be fetched. */
  UNREAD("skipjack.jobs.unread", Type.COUNTER, "Attempts whose payload could not be fetched"),
  /** Time from the moment a job is due until it is claimed, by the database's clock. */
  WAIT("skipjack.jobs.wait", Type.TIMER, "Time from due to claimed"),
  /** The same time, of jobs that were claimed under a limit. */
  LIMIT_WAIT("skipjack.limit.wait", Type.TIMER, "Time from due to claimed, under a limit"),
  /** Run time of a handler, including the stage that it returned, if any. */
  RUN("skipjack.jobs.run", Type.TIMER, "Run time of handlers"),
  /** Duration of a claim, measured by the worker. */
  CLAIM("skipjack.worker.claim", Type.TIMER, "Time of a claim"),
  /** Duration of a write of outcomes, measured by the worker. */
  FLUSH("skipjack.worker.flush", Type.TIMER, "Time of a write of outcomes"),
  /** Duration of a renewal of leases, measured by the worker. */
  HEARTBEAT("skipjack.worker.heartbeat", Type.TIMER, "Time of a renewal of leases"),
  /** Delay of a fire after its planned time, including jitter. */
  SCHEDULE_LATE(
      "skipjack.worker.schedule.late", Type.TIMER, "Delay of a fire after its planned time"),
  /** Failed tries to fire a schedule. */
  SCHEDULE_FAILED(
      "skipjack.worker.schedule.failed", Type.COUNTER, "Failed tries to fire a schedule"),
  /** Events that were dropped because the listeners are too slow. */
  EVENTS_DROPPED(
      "skipjack.worker.events.dropped", Type.COUNTER, "Events dropped because listeners are slow"),
  /** Claimed attempts that wait for a slot. */
  BUFFERED("skipjack.worker.buffered", Type.GAUGE, "Attempts that wait for a slot"),
  /** Attempts whose handler is running. */
  RUNNING("skipjack.worker.running", Type.GAUGE, "Attempts whose handler runs"),
  /** Attempts whose outcome is not written yet. */
  UNWRITTEN("skipjack.worker.unwritten", Type.GAUGE, "Attempts whose outcome is not written yet"),
  /** Stuck handlers ({@link WorkerEvent.Stuck}) that are still running. */
  STUCK_NOW("skipjack.worker.stuck", Type.GAUGE, "Handlers that do not end after an interrupt"),
  /**
   * How many seconds the oldest due job of the served queues had waited when the worker last listed
   * the due lanes.
   */
  LAG("skipjack.worker.lag", Type.GAUGE, "Seconds that the oldest due job has waited"),
  /** Seconds since the last successful poll for jobs. */
  POLL_AGE("skipjack.worker.poll.age", Type.GAUGE, "Seconds since the last successful poll"),
  /**
   * How many seconds the most overdue schedule of the database had been due at the last check,
   * which is at most about a minute old.
   */
  SCHEDULE_OVERDUE(
      "skipjack.worker.schedule.overdue",
      Type.GAUGE,
      "Seconds that the most overdue schedule has been due");

  /** The type of a meter. */
  public enum Type {
    /** A number that only increases. */
    COUNTER,
    /** A distribution of durations. */
    TIMER,
    /** A current value. */
    GAUGE
  }

  private final String meterName;
  private final Type type;
  private final String description;

  WorkerMeter(String meterName, Type type, String description) {
    this.meterName = meterName;
    this.type = type;
    this.description = description;
  }

  /**
   * {@return the name of the meter, which consists of words separated by dots and never changes}
   */
  public String meterName() {
    return meterName;
  }

  /** {@return the type of the meter} */
  public Type type() {
    return type;
  }

  /**
   * {@return the unit of the meter's values, which is {@code seconds}, or null for counts and
   * timers}
   */
  public @Nullable String baseUnit() {
    return this == LAG || this == POLL_AGE || this == SCHEDULE_OVERDUE ? "seconds" : null;
  }

  /** {@return a short description of the meter} */
  public String description() {
    return description;
  }
}
