package dev.skipjack.worker.faults;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import java.time.Duration;

/**
 * A job whose first attempt may fail in a particular way. Later attempts succeed.
 *
 * @param number the number of the row in {@code effects} that the job writes
 */
record Task(int number, Deed deed) {

  /** The behaviour of the first attempt. */
  enum Deed {
    /** Writes the row and completes the job in one transaction. */
    WORK,
    /** Does the same, but slowly. */
    WORK_SLOWLY,
    /** Never ends, even if interrupted. */
    HANG,
    /** Writes the row, completes the job, commits, and never ends. */
    HANG_AFTER_COMMIT,
    /** Halts its JVM, in every attempt. */
    HALT,
    /** Waits to be frozen and thawed, and then returns success. */
    FREEZE_THEN_COMPLETE,
    /** Waits to be frozen and thawed, and then throws an exception. */
    FREEZE_THEN_FAIL,
    /** Waits to be frozen and thawed, and then snoozes the job. */
    FREEZE_THEN_SNOOZE,
    /** Waits to be frozen and thawed, and then does the same as {@link #WORK}. */
    FREEZE_THEN_WORK,
    /** Waits to be frozen and thawed, and never ends. */
    FREEZE_THEN_HANG
  }

  static final JobType<Task> TYPE =
      JobType.of("task", Task.class).maxAttempts(20).retry(Backoff.fixed(Duration.ofMillis(20)));
}
