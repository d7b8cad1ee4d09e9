package dev.skipjack.torture;

import java.util.Locale;

/** What kind of job, and what must hold of it in the end. */
enum Workload {
  /** Completes. */
  PLAIN,
  /** Fails, asks for retries and snoozes a few times, and completes. */
  RETRY,
  /** Fails until it is dead. */
  DOOMED,
  /** Has one of a few unique keys, held while it lives. */
  UNIQUE,
  /** Is cancelled at some moment: cancelled, or completed before. */
  CANCEL,
  /** Writes a row with {@code completeIn}: exactly one row for a job. */
  EFFECT;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
