package dev.skipjack.store.jooq.internal.sql;

import static dev.skipjack.model.Tables.JOB_QUEUES;

import org.jooq.Condition;

/** When a queue is paused, written once for every statement that asks. */
public final class PausePredicates {

  /** The pause has not ended by itself. Does not check that there is a pause. */
  public static final Condition NOT_ENDED =
      JOB_QUEUES
          .PAUSED_UNTIL
          .isNull()
          .or(JOB_QUEUES.PAUSED_UNTIL.gt(DatabaseClock.TRANSACTION_START));

  /** Nothing is claimed from the queue now. */
  public static final Condition PAUSED = JOB_QUEUES.PAUSED_AT.isNotNull().and(NOT_ENDED);

  private PausePredicates() {}
}
