package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_BATCHES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.JobStatus;
import dev.skipjack.model.tables.JobBatches;
import dev.skipjack.sql.JobPredicates;
import org.jooq.Condition;
import org.jooq.Field;

/**
 * The conditions on the jobs of a batch, each of which reads one entry of {@code jobs_owner_idx
 * (owner_id, status, id)} for each status:
 *
 * <pre>{@code
 * (SELECT id FROM jobs WHERE owner_id = <batch> AND status >= 'pending' AND status <= 'pending'
 *   ORDER BY status DESC, id DESC LIMIT 1) IS NOT NULL
 * }</pre>
 *
 * <p>It reads the greatest id first, because claims take the least ids first: entries of jobs that
 * have ended, which vacuum has not removed yet, are then passed only at the end of the batch. Two
 * comparisons instead of an equality keep the status in the order, which no other index has, so the
 * planner cannot walk the primary key instead.
 */
final class BatchPredicates {

  /** Sealed and not finished. The second part is the predicate of {@code job_batches_open_idx}. */
  static final Condition OPEN =
      JOB_BATCHES.SEALED_AT.isNotNull().and(JOB_BATCHES.FINISHED_AT.isNull());

  private BatchPredicates() {}

  /** Returns the condition that the batch has a live job. */
  static Condition hasLive(Field<Long> batch) {
    return has(JobStatus.PENDING, batch)
        .or(has(JobStatus.RUNNING, batch))
        .or(has(JobStatus.WAITING, batch));
  }

  /** Returns the condition that the batch has a dead job. */
  static Condition hasDead(Field<Long> batch) {
    return has(JobStatus.DEAD, batch);
  }

  private static Condition has(JobStatus status, Field<Long> batch) {
    return field(
            select(JOBS.ID)
                .from(JOBS)
                .where(JOBS.OWNER_ID.eq(batch))
                .and(JOBS.STATUS.ge(JobPredicates.literal(status)))
                .and(JOBS.STATUS.le(JobPredicates.literal(status)))
                .orderBy(JOBS.STATUS.desc(), JOBS.ID.desc())
                .limit(inline(1)))
        .isNotNull();
  }

  /** Returns the condition that a batch in the batch has not finished. */
  private static Condition hasOpenBatch(Field<Long> batch) {
    JobBatches inner = JOB_BATCHES.as("inner_batch");
    return hasInner(inner, batch, inner.SUCCEEDED.isNull());
  }

  /**
   * Returns the condition that a batch in the batch matches {@code which}. It compares a value,
   * because the planner could turn EXISTS into a hash of all batches.
   */
  private static Condition hasInner(JobBatches inner, Field<Long> batch, Condition which) {
    return field(
            select(inner.ID)
                .from(inner)
                .where(inner.OWNER_ID.eq(batch))
                .and(which)
                .orderBy(inner.SUCCEEDED)
                .limit(inline(1)))
        .isNotNull();
  }

  /** Returns the condition that all jobs of the batch have ended, as its policy defines it. */
  static Condition hasEnded(JobBatches batch) {
    return hasLive(batch.ID)
        .not()
        .and(hasOpenBatch(batch.ID).not())
        .and(batch.DEAD_POLICY.ne(inline(DeadPolicy.WAIT.literal())).or(hasDead(batch.ID).not()));
  }

  /** Returns the condition that the batch has its first dead job, which was not noted yet. */
  static Condition hasFirstDead(JobBatches batch) {
    return batch.FIRST_DEAD_AT.isNull().and(hasDead(batch.ID));
  }

  /**
   * Returns the condition that all jobs and batches of an ended batch have succeeded. A dead job
   * that was pruned counts as cancelled.
   */
  static Condition hasSucceeded(Field<Long> batch) {
    JobBatches inner = JOB_BATCHES.as("failed_batch");
    return hasDead(batch)
        .not()
        .and(
            field(
                    select(JOBS_ARCHIVE.ID)
                        .from(JOBS_ARCHIVE)
                        .where(JOBS_ARCHIVE.OWNER_ID.eq(batch))
                        .and(
                            JOBS_ARCHIVE.STATUS.eq(
                                inline(JobStatus.CANCELLED, JOBS_ARCHIVE.STATUS)))
                        .limit(inline(1)))
                .isNull())
        .and(hasInner(inner, batch, inner.SUCCEEDED.isFalse()).not());
  }
}
