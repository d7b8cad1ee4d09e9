package dev.skipjack.worker;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import java.time.Duration;

/** What is to be written about an attempt. */
sealed interface Ending {

  /** It succeeded. */
  record Completed() implements Ending {}

  /** It failed. */
  record Failed(JobError error, Duration delay, boolean isFinal) implements Ending {}

  /** It gives the job back without using the attempt. */
  record GivenBack(ExecutionStatus as, Duration delay) implements Ending {}

  /**
   * Its handler completed the job in a transaction of its own, so the database knows better than
   * the handler: gone is done.
   *
   * @param otherwise what to write if the job is still there
   * @param clean whether the handler said so too; if not, what it said is worth a warning
   */
  record CompletedByHandler(Failed otherwise, boolean clean) implements Ending {}
}
