package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOB_OPERATIONS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;

import org.jooq.Condition;
import org.jooq.impl.SQLDataType;

/** Conditions on the rows of bulk operations. */
public final class OperationPredicates {

  /**
   * The operation is running, but its row was last written more than 2 minutes ago, so its process
   * has most likely ended. A time in the future counts as well, because the clock of the database
   * may have been set back. The state is inlined, because {@code job_operations_running_idx}
   * contains only running operations, of which there are few.
   */
  public static final Condition ABANDONED =
      JOB_OPERATIONS
          .STATE
          .eq(inline("running"))
          .and(
              JOB_OPERATIONS.UPDATED_AT.notBetween(
                  field(
                      "{0} - interval '2 minutes'",
                      SQLDataType.INSTANT, DatabaseClock.TRANSACTION_START),
                  field(
                      "{0} + interval '2 minutes'",
                      SQLDataType.INSTANT, DatabaseClock.TRANSACTION_START)));

  private OperationPredicates() {}
}
