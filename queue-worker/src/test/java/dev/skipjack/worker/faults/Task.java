package dev.skipjack.worker.faults;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import java.time.Duration;

/**
 * A job whose first attempt may go wrong in its own way; later ones just work.
 *
 * @param number which row of {@code effects} it writes
 */
record Task(int number, Deed deed) {

  /** What the first attempt does. */
  enum Deed {
    /** Writes its row and completes in one transaction. */
    WORK,
    /** The same, but slowly. */
    WORK_SLOWLY,
    /** Begins and never ends, whoever interrupts it. */
    HANG,
    /** Writes, completes, commits, and never ends. */
    HANG_AFTER_COMMIT,
    /** Ends its JVM, in every attempt. */
    HALT,
    /** Is frozen, and then completes. */
    FREEZE_THEN_COMPLETE,
    /** Is frozen, and then throws. */
    FREEZE_THEN_FAIL,
    /** Is frozen, and then asks for later. */
    FREEZE_THEN_SNOOZE,
    /** Is frozen, and then does what {@link #WORK} does. */
    FREEZE_THEN_WORK,
    /** Is frozen, and never ends. */
    FREEZE_THEN_HANG
  }

  static final JobType<Task> TYPE =
      JobType.of("task", Task.class).maxAttempts(20).retry(Backoff.fixed(Duration.ofMillis(20)));
}
