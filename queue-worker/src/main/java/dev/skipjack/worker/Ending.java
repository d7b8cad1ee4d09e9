package dev.skipjack.worker;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.spi.GiveBack;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is to be written about an attempt. */
sealed interface Ending {

  /**
   * It succeeded.
   *
   * @param result JSON; null: none
   */
  record Completed(@Nullable String result) implements Ending {
    static final Completed PLAIN = new Completed(null);
  }

  /** There is nothing to do any more. */
  record Cancelled(String reason) implements Ending {}

  /** It failed. */
  record Failed(JobError error, Duration delay, boolean isFinal) implements Ending {}

  /**
   * It gives the job back without using the attempt.
   *
   * @param until as {@link GiveBack#until()}
   */
  record GivenBack(ExecutionStatus as, Duration delay, @Nullable Instant until) implements Ending {

    static GivenBack after(ExecutionStatus as, Duration delay) {
      return new GivenBack(as, delay, null);
    }

    /** Of a job that never began: it keeps its place before those that became due later. */
    static GivenBack toItsPlace(Instant dueAt) {
      return new GivenBack(ExecutionStatus.RELEASED, Duration.ZERO, dueAt);
    }
  }

  /**
   * Its handler completed the job in a transaction of its own, so the database knows better than
   * the handler: gone is done.
   *
   * @param otherwise what to write if the job is still there
   * @param clean whether the handler said so too; if not, what it said is worth a warning
   */
  record CompletedByHandler(Failed otherwise, boolean clean) implements Ending {}
}
