package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.inline;

import dev.skipjack.api.JobStatus;
import java.util.Arrays;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;

/**
 * The conditions that a statement must contain to use a partial index of {@code jobs}. Their
 * literals are inlined: a bound status matches no partial index, and the claim would read the whole
 * table (docs/adr/0003).
 */
public final class JobPredicates {

  /** The predicate of {@code jobs_pending_idx}. */
  public static final Condition PENDING = JOBS.STATUS.eq(literal(JobStatus.PENDING));

  /** The predicate of {@code jobs_running_idx}. */
  public static final Condition RUNNING = JOBS.STATUS.eq(literal(JobStatus.RUNNING));

  /** The predicate of {@code jobs_dead_idx}. */
  public static final Condition DEAD = JOBS.STATUS.eq(literal(JobStatus.DEAD));

  /** The predicate of {@code jobs_ordering_waiting_idx}. */
  public static final Condition WAITING = JOBS.STATUS.eq(literal(JobStatus.WAITING));

  private JobPredicates() {}

  /**
   * {@return a status as a literal in the text of a statement}
   *
   * @param status the status
   */
  public static Field<JobStatus> literal(JobStatus status) {
    return inline(status, JOBS.STATUS);
  }

  /**
   * {@return statuses as literals in the text of a statement}
   *
   * @param statuses the statuses
   */
  public static List<Field<JobStatus>> literals(JobStatus... statuses) {
    return Arrays.stream(statuses).map(JobPredicates::literal).toList();
  }
}
