package dev.skipjack.steps;

/** What happened to a signal that was sent. */
public enum SignalResult {

  /** A job that waits for the signal is due now. */
  WOKEN,

  /** The signal is kept until a job waits for it, or it expires. */
  STORED,

  /** The job has ended or never existed. Nothing was stored. */
  ENDED,

  /** The link, or another link for the same wait, has been used before. Nothing was stored. */
  USED,

  /** The link has expired. Nothing was stored. */
  EXPIRED,

  /** The link was not made with the secret, or was changed. Nothing was stored. */
  INVALID
}
