package dev.skipjack.outbox;

/** The status of a recorded event. */
public enum EventStatus {
  /** It waits for its first attempt. */
  PENDING,
  /** It waits for its next attempt, or for an earlier event of its aggregate. */
  BLOCKED,
  /** Relays no longer try to publish it. Later events of its aggregate wait for it. */
  DEAD,
  /** Relays no longer try to publish it. Later events of its aggregate are published without it. */
  SKIPPED,
  /** It has been published. */
  PUBLISHED
}
