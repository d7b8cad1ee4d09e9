package dev.skipjack.torture;

import java.util.Locale;

/** The kind of a job, which decides its expected outcome. */
enum Workload {
  /** Succeeds in every attempt. */
  PLAIN,
  /** Fails, asks for a retry or snoozes a few times, then completes. */
  RETRY,
  /** Fails until it is dead. */
  DOOMED,
  /** Has one of a few unique keys, which it holds while it is live. */
  UNIQUE,
  /** Is cancelled at some point. Ends as cancelled or, if it completes first, as completed. */
  CANCEL,
  /** Writes a row in the transaction of {@code completeIn}: exactly one row per job. */
  EFFECT,
  /**
   * Has one of a few ordering keys. Some of these jobs fail or snooze and then complete, and some
   * are cancelled. A few become dead, and an operator redrives or skips them.
   */
  ORDERED,
  /**
   * Belongs to one of a few groups, and to one of two queues that share a limit. Some of these jobs
   * fail or snooze, and then complete. Meanwhile, an operator changes the limit and pauses groups.
   */
  LIMITED,
  /**
   * Has durable steps and waits for a signal. Some of these jobs fail and then complete, some are
   * cancelled, and some become dead, so that their steps are undone. Those that are enqueued
   * together are a batch with a callback.
   */
  STEPS,
  /** Is enqueued by a schedule: exactly one job per fire. */
  SCHEDULED;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
