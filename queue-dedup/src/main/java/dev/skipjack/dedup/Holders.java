package dev.skipjack.dedup;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.sql.Row;
import java.sql.SQLException;
import org.jooq.Condition;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** Expressions about the job that holds a key, shared by the statements of unique jobs. */
final class Holders {

  private Holders() {}

  /**
   * Returns the condition that a job is pending or waiting and has not used an attempt. It is a
   * CASE, because with a plain comparison the planner could read a whole index of pending or
   * waiting jobs.
   */
  static Condition isUnused(Jobs holder) {
    return condition(
        when(
                holder.STATUS.in(
                    inline(JobStatus.PENDING, holder.STATUS),
                    inline(JobStatus.WAITING, holder.STATUS)),
                field(holder.ATTEMPTS.eq(holder.UNCOUNTED_ATTEMPTS)))
            .otherwise(inline(false)));
  }

  static Field<Boolean> hasUsedAttempt(Jobs holder) {
    return field(holder.ATTEMPTS.gt(holder.UNCOUNTED_ATTEMPTS));
  }

  /**
   * Reads the status of the job.
   *
   * @return the status, or null if the job does not exist
   */
  static @Nullable HolderStatus status(Row row, Field<?> status, Field<Boolean> hasUsedAttempt)
      throws SQLException {
    String literal = row.textOrNull(status);
    return literal == null
        ? null
        : HolderStatus.of(JobStatus.of(literal), row.flag(hasUsedAttempt));
  }
}
