package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_STACKS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.left;

import dev.skipjack.api.operations.HandlerStack;
import dev.skipjack.sql.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * The columns with the sampled stack of a running job.
 *
 * @param stack the text of the stack
 */
record Stacks(Field<String> stack) {

  /** A list may have 500 jobs, and the place in the code is usually among the first 20 frames. */
  private static final int BEGINNING_LENGTH = 2_000;

  static final Stacks WHOLE = new Stacks(JOB_STACKS.STACK);

  static final Stacks BEGINNING =
      new Stacks(left(JOB_STACKS.STACK, inline(BEGINNING_LENGTH)).as(JOB_STACKS.STACK));

  /** The columns of a job that does not run. */
  static final List<Field<?>> NONE =
      List.of(
          castNull(JOB_STACKS.SAMPLED_AT),
          castNull(JOB_STACKS.STACK),
          castNull(JOB_STACKS.PROBLEM));

  /** The stack of a job. A row that a worker has left belongs to no current execution. */
  static final Condition IS_CURRENT =
      JOB_STACKS.EXECUTION_ID.eq(JOBS.CURRENT_EXECUTION_ID).and(JOB_STACKS.JOB_ID.eq(JOBS.ID));

  List<Field<?>> columns() {
    return List.of(JOB_STACKS.SAMPLED_AT, stack, JOB_STACKS.PROBLEM);
  }

  @Nullable HandlerStack read(Row row) throws SQLException {
    Instant since = row.instantOrNull(JOB_STACKS.SAMPLED_AT);
    return since == null
        ? null
        : new HandlerStack(since, row.textOrNull(stack), row.textOrNull(JOB_STACKS.PROBLEM));
  }
}
