package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;

import dev.skipjack.api.JobStatus;
import org.jooq.Condition;

/**
 * The predicates of the partial indexes that only readers walk; {@link JobPredicates} has the
 * others and the reason why their literals are inlined.
 */
final class ReadPredicates {

  /** The predicate of {@code jobs_ordering_waiting_idx}. */
  static final Condition WAITING = JOBS.STATUS.eq(JobPredicates.literal(JobStatus.WAITING));

  /** The predicate of {@code jobs_dead_idx}. */
  static final Condition DEAD = JOBS.STATUS.eq(JobPredicates.literal(JobStatus.DEAD));

  private ReadPredicates() {}
}
