package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOB_QUEUES;

import org.jooq.Condition;

/** The condition for a paused queue, defined in one place for all statements. */
public final class PausePredicates {

  private static final Condition NOT_ENDED =
      JOB_QUEUES
          .PAUSED_UNTIL
          .isNull()
          .or(JOB_QUEUES.PAUSED_UNTIL.gt(DatabaseClock.TRANSACTION_START));

  /** The condition that the queue is paused, so that no job is claimed from it. */
  public static final Condition PAUSED = JOB_QUEUES.PAUSED_AT.isNotNull().and(NOT_ENDED);

  private PausePredicates() {}
}
