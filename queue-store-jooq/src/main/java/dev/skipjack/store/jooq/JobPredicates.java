package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.inline;

import dev.skipjack.api.JobStatus;
import org.jooq.Condition;
import org.jooq.Field;

/**
 * The conditions that partial indexes depend on, written once. Their literals are inlined: a bound
 * status matches no partial index, and the claim would read the whole table (docs/adr/0003).
 */
final class JobPredicates {

  /** The predicate of {@code jobs_pending_idx}. */
  static final Condition PENDING = JOBS.STATUS.eq(literal(JobStatus.PENDING));

  /** The predicate of {@code jobs_running_idx}. */
  static final Condition RUNNING = JOBS.STATUS.eq(literal(JobStatus.RUNNING));

  private JobPredicates() {}

  /** A status as it stands in the text of a statement. */
  static Field<JobStatus> literal(JobStatus status) {
    return inline(status, JOBS.STATUS);
  }
}
