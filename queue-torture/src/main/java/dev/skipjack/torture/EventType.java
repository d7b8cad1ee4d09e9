package dev.skipjack.torture;

/** What a line of a history tells. */
enum EventType {
  /** A producer is about to enqueue; the detail says how. */
  ASKED,
  /** The enqueue was acknowledged; the detail says whether the job is new. */
  ACKED,
  /** Nobody knows whether the enqueue was committed. */
  UNKNOWN,
  /** The enqueue was refused: nothing was done. */
  REFUSED,
  /** A cancel is about to be asked for. */
  CANCEL_ASKED,
  /** The cancel was answered; the detail is the result. */
  CANCEL_ANSWERED,
  /** A handler began. */
  STARTED,
  /** A handler ended, whatever becomes of its outcome; the detail says how. */
  ENDED,
  /** A transaction with an effect and a completion was committed. */
  COMMITTED,
  /** The worker says that the outcome is written; the detail is the outcome. */
  ACCEPTED,
  /** The worker says that the attempt was not its own any more. */
  LOST,
  /**
   * The database said that the attempt owns its job; the detail is for how many microseconds from
   * its begin, by the database's clock alone.
   */
  LEASED,
  /** The process stood still by itself; the detail is for how many milliseconds. */
  STALLED,
  /**
   * A fault began to strike the process that the line names, or all; the detail is its kind, and
   * after a space how.
   */
  FAULT_BEGAN,
  /** The server can be reached again, though the fault is felt still. */
  FAULT_EASED,
  /** It is over. */
  FAULT_ENDED,
  /** The process was found to have ended, and nobody had ended it; the detail is its exit value. */
  DIED
}
