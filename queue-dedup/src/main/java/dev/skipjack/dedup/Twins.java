package dev.skipjack.dedup;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.model.tables.Jobs;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.Condition;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** What the statements here share about the job that holds a key. */
final class Twins {

  private Twins() {}

  /**
   * Whether a duplicate may change it. A CASE, because a bare comparison of the status would offer
   * the planner the index of pending jobs, of which it would read all.
   */
  static Condition isUnused(Jobs twin) {
    return condition(
        when(
                twin.STATUS.eq(inline(JobStatus.PENDING, twin.STATUS)),
                field(twin.ATTEMPTS.eq(twin.UNCOUNTED_ATTEMPTS)))
            .otherwise(inline(false)));
  }

  static Field<Boolean> hasUsedAttempt(Jobs twin) {
    return field(twin.ATTEMPTS.gt(twin.UNCOUNTED_ATTEMPTS));
  }

  /**
   * Reads its status from two columns.
   *
   * @return null if there is no such job
   */
  static @Nullable HolderStatus read(ResultSet row, int status, int hasUsedAttempt)
      throws SQLException {
    String literal = row.getString(status);
    return literal == null
        ? null
        : HolderStatus.of(JobStatus.of(literal), row.getBoolean(hasUsedAttempt));
  }
}
