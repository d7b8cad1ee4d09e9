package dev.skipjack.worker;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Suspension;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The end of an attempt, as it will be written to the store. */
sealed interface Ending {

  /** The statements that write endings, in the order in which they run. */
  enum Statement {
    CHECK_COMPLETION,
    COMPLETE,
    END_WITH_DATA,
    FAIL,
    REQUEUE
  }

  /** Returns the statement that writes this ending. */
  Statement statement();

  /** Returns whether {@code audited} is the status that this ending writes to the audit. */
  boolean isWrittenAs(ExecutionStatus audited);

  /**
   * The job succeeded.
   *
   * @param result the result as JSON, or null for none
   */
  record Completed(@Nullable String result) implements Ending {
    static final Completed PLAIN = new Completed(null);

    @Override
    public Statement statement() {
      return result == null ? Statement.COMPLETE : Statement.END_WITH_DATA;
    }

    @Override
    public boolean isWrittenAs(ExecutionStatus audited) {
      return audited == ExecutionStatus.SUCCEEDED;
    }
  }

  /** The handler cancelled its job. */
  record Cancelled(String reason) implements Ending {
    @Override
    public Statement statement() {
      return Statement.END_WITH_DATA;
    }

    @Override
    public boolean isWrittenAs(ExecutionStatus audited) {
      return audited == ExecutionStatus.CANCELLED;
    }
  }

  /**
   * The attempt failed.
   *
   * @param delay the time until the next attempt
   * @param isFinal whether the job becomes dead even if it has attempts left
   */
  record Failed(JobError error, Duration delay, boolean isFinal) implements Ending {
    @Override
    public Statement statement() {
      return Statement.FAIL;
    }

    @Override
    public boolean isWrittenAs(ExecutionStatus audited) {
      return audited == ExecutionStatus.FAILED || audited == ExecutionStatus.DEAD;
    }
  }

  /**
   * The handler asked for a later attempt. This one is not counted.
   *
   * @param until as {@link Requeue#until()}
   * @param suspension for what the handler suspended the job; null if it did not
   */
  record Snoozed(Duration delay, @Nullable Instant until, @Nullable Suspension suspension)
      implements Ending {

    Snoozed(Duration delay, @Nullable Instant until) {
      this(delay, until, null);
    }

    static Snoozed until(Suspension suspension) {
      return new Snoozed(Duration.ZERO, suspension.until(), suspension);
    }

    @Override
    public Statement statement() {
      return Statement.REQUEUE;
    }

    @Override
    public boolean isWrittenAs(ExecutionStatus audited) {
      return audited == ExecutionStatus.SNOOZED;
    }
  }

  /**
   * The worker releases the job. The attempt is not counted.
   *
   * @param until as {@link Requeue#until()}
   */
  record Released(Duration delay, @Nullable Instant until) implements Ending {

    static Released after(Duration delay) {
      return new Released(delay, null);
    }

    /**
     * Returns the ending of a job whose handler was not called. The job keeps its due time, so it
     * is served before jobs that became due later.
     */
    static Released toDueTime(Instant dueAt) {
      return new Released(Duration.ZERO, dueAt);
    }

    @Override
    public Statement statement() {
      return Statement.REQUEUE;
    }

    @Override
    public boolean isWrittenAs(ExecutionStatus audited) {
      return audited == ExecutionStatus.RELEASED;
    }
  }

  /**
   * The handler completed the job in its own transaction. The transaction was committed if the job
   * no longer exists in the database.
   *
   * @param otherwise what to write if the job still exists
   * @param clean whether the handler also reported success; if not, its report is logged
   */
  record CompletedByHandler(Failed otherwise, boolean clean) implements Ending {
    @Override
    public Statement statement() {
      return Statement.CHECK_COMPLETION;
    }

    @Override
    public boolean isWrittenAs(ExecutionStatus audited) {
      return audited == ExecutionStatus.SUCCEEDED;
    }
  }
}
