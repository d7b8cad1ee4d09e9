package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.model.tables.records.JobsRecord;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import java.time.Instant;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.UpdateSetFirstStep;
import org.jooq.UpdateSetMoreStep;

/**
 * Moves a job back to pending after an unsuccessful attempt, or to dead when its attempts are
 * exhausted. Applies to failures and to lost leases.
 */
final class FailedTransition {

  /** The condition that the job has used all its attempts. */
  static final Condition EXHAUSTED =
      JOBS.ATTEMPTS.minus(JOBS.UNCOUNTED_ATTEMPTS).ge(JOBS.MAX_ATTEMPTS);

  private static final Condition FREES_KEY =
      JOBS.UNIQUE_UNTIL.isDistinctFrom(inline(UniqueUntil.ENDED, JOBS.UNIQUE_UNTIL));

  private FailedTransition() {}

  /**
   * Removes the lease. The job becomes dead if {@code dies} is true; otherwise it becomes pending
   * and is due at {@code due}.
   */
  static UpdateSetMoreStep<JobsRecord> orPending(
      UpdateSetFirstStep<JobsRecord> update, Condition dies, Field<Instant> due) {
    return update
        .set(
            JOBS.STATUS,
            when(dies, JobPredicates.literal(JobStatus.DEAD))
                .otherwise(JobPredicates.literal(JobStatus.PENDING)))
        .set(JOBS.SCHEDULED_AT, when(dies, JOBS.SCHEDULED_AT).otherwise(due))
        .set(JOBS.DIED_AT, when(dies, DatabaseClock.NOW))
        // A dead job frees its unique key, unless it keeps the key until it ends. Only a redrive
        // takes the key again.
        .set(
            JOBS.UNIQUE_KEY,
            when(dies.and(FREES_KEY), castNull(JOBS.UNIQUE_KEY)).otherwise(JOBS.UNIQUE_KEY))
        .set(
            JOBS.FREED_UNIQUE_KEY,
            when(dies.and(FREES_KEY), JOBS.UNIQUE_KEY).otherwise(JOBS.FREED_UNIQUE_KEY))
        .set(JOBS.CURRENT_EXECUTION_ID, castNull(JOBS.CURRENT_EXECUTION_ID))
        .set(JOBS.LEASE_EXPIRES_AT, castNull(JOBS.LEASE_EXPIRES_AT))
        .set(JOBS.UPDATED_AT, DatabaseClock.NOW);
  }
}
