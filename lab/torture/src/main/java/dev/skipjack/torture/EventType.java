package dev.skipjack.torture;

/** The type of an event in a history. */
enum EventType {
  /**
   * A producer is about to enqueue a job; the detail is the method that it uses, {@link
   * ContentCheck#SEPARATOR} and the content of the job.
   */
  REQUESTED,
  /**
   * A producer is about to enqueue a job that it then rolls back, with its transaction or to a
   * savepoint.
   */
  DISCARDED,
  /** The enqueue was acknowledged; the detail is whether the job is new. */
  ACKNOWLEDGED,
  /**
   * It is unknown whether the enqueue, the operator's command or the transaction with an event was
   * committed; the detail is the error.
   */
  UNKNOWN,
  /** The enqueue was refused, so no job was created; the detail is the error. */
  REFUSED,
  /** The producer does not repeat an enqueue that was refused. */
  GIVEN_UP,
  /** A producer is about to cancel a job. */
  CANCEL_REQUESTED,
  /** The cancel returned; the detail is the result. */
  CANCEL_RETURNED,
  /** An operator is about to redrive a dead job. */
  REDRIVE_REQUESTED,
  /** The redrive returned; the detail is the result. */
  REDRIVE_RETURNED,
  /** An operator is about to skip the dead head of an ordering key; the detail is the key. */
  UNBLOCK_REQUESTED,
  /**
   * An operator is about to change the limit of {@link LimitedWork}; the detail is the setting. The
   * operator repeats the change until it returns.
   */
  LIMIT_REQUESTED,
  /** The change of the limit returned. */
  LIMIT_RETURNED,
  /**
   * The pauses of a group in all queues of {@link LimitedWork} returned; the detail is the group.
   */
  GROUP_PAUSED,
  /**
   * An operator is about to resume a group in all queues of {@link LimitedWork}; the detail is the
   * group.
   */
  GROUP_RESUME_REQUESTED,
  /** A handler is about to stop all starts under the limit of {@link LimitedWork}. */
  THROTTLE_REQUESTED,
  /**
   * The starts were stopped, for {@link LimitedWork#RETRY_AFTER} from a moment since the request.
   */
  THROTTLE_RETURNED,
  /** A handler started; the detail is the content of the job that it received. */
  STARTED,
  /**
   * A handler ended, whether or not its outcome is accepted; the detail is the outcome or the
   * error.
   */
  ENDED,
  /** A transaction with an effect and a completion was committed. */
  COMMITTED,
  /** The worker reported the outcome as accepted; the detail is the outcome. */
  ACCEPTED,
  /** The worker reported the attempt as lost. */
  LOST,
  /**
   * The lease of an attempt has been extended. The detail is the number of microseconds from the
   * start of the attempt to the new end of the lease, by the database's clock.
   */
  LEASE_EXTENDED,
  /** The process detected that it had been paused; the detail is the duration in milliseconds. */
  STALLED,
  /**
   * A fault that affects the process in this line, or all processes, is about to begin. The detail
   * is its kind, followed by a space and the variant if the kind has variants.
   */
  FAULT_BEGAN,
  /** The server is reachable again, although the fault still has effects. */
  FAULT_EASED,
  /** The fault ended. */
  FAULT_ENDED,
  /**
   * A producer has recorded an event of the outbox in a transaction that is still open. The key is
   * the event's id, and the detail its payload.
   */
  EVENT_RECORDED,
  /** The commit of a transaction with an event was acknowledged. */
  EVENT_COMMITTED,
  /** A transaction with an event was rolled back. */
  EVENT_ROLLED_BACK,
  /**
   * The destination has accepted an event from a relay in the process of this line; the detail is
   * the payload.
   */
  PUBLISHED,
  /**
   * An HTTP relay in the process of this line has sent an event, or was about to, and received no
   * response before it gave up. The event may have arrived nevertheless.
   */
  UNANSWERED,
  /**
   * The producers did nothing for a time in which there was no fault; the detail is its length in
   * seconds.
   */
  HUNG,
  /** The process exited on its own; the detail is its exit code. */
  EXITED
}
