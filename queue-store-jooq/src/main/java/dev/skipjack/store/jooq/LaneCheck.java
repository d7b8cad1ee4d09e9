package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.JobPredicates;
import java.time.Instant;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * The conditions on which a job may start without a claim: its queue is neither paused nor fair nor
 * limited, and the worker has other free slots for all jobs that come first. Every name in them is
 * qualified, and each count has a small constant LIMIT and the order of {@code jobs_pending_idx},
 * so they need no planner settings and no {@code search_path}. The time is that of the statement,
 * because a caller's transaction may have begun long ago.
 */
final class LaneCheck {

  private static final Param<Integer> SPARE = param("spare", Integer.class);

  /** The maximum number of jobs that may come first. */
  private static final int MOST_SPARE = 8;

  private LaneCheck() {}

  /** Returns the value of the parameter {@code spare}. */
  static int spare(int freeSlots) {
    return Math.min(freeSlots, MOST_SPARE);
  }

  /** Returns the condition that the queue is neither paused nor fair nor limited, or has no row. */
  static Condition isServed() {
    return JOB_QUEUES
        .PAUSED_AT
        .isNull()
        .or(is(JOB_QUEUES.PAUSED_UNTIL, "<=", statementStart()))
        .and(condition("{0} is not true", JOB_QUEUES.FAIR))
        .and(JOB_QUEUES.LIMIT_NAME.isNull());
  }

  /**
   * Returns the condition that at most {@code spare} jobs come first in a queue. A job of higher
   * priority that is not due yet counts as well, because a search for only those that are due might
   * read all others.
   *
   * @param until jobs of the same priority come first if they were due at this time
   */
  static Condition othersHaveSlots(
      Field<String> queue, Field<Short> priority, Field<Instant> until) {
    return condition(
        "{0} OPERATOR(pg_catalog.+) {1} OPERATOR(pg_catalog.<=) cast({2} as bigint)",
        count(
            select(JOBS.ID)
                .from(JOBS)
                .where(isPendingIn(queue))
                .and(is(JOBS.PRIORITY, "=", priority))
                .and(is(JOBS.SCHEDULED_AT, "<=", until))
                .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
                .limit(inline(MOST_SPARE + 1))
                .asTable("due")),
        count(
            select(JOBS.ID)
                .from(JOBS)
                .where(isPendingIn(queue))
                .and(is(JOBS.PRIORITY, ">", priority))
                .orderBy(JOBS.PRIORITY, JOBS.SCHEDULED_AT, JOBS.ID)
                .limit(inline(MOST_SPARE + 1))
                .asTable("higher")),
        SPARE);
  }

  private static Field<?> count(Table<?> first) {
    return field(select(field("pg_catalog.count(*)", Long.class)).from(first));
  }

  private static Condition isPendingIn(Field<String> queue) {
    return is(JOBS.STATUS, "=", JobPredicates.literal(JobStatus.PENDING))
        .and(is(JOBS.QUEUE, "=", queue));
  }

  /** Returns a comparison with a qualified operator. */
  static Condition is(Field<?> left, String operator, Field<?> right) {
    return condition("{0} OPERATOR(pg_catalog." + operator + ") {1}", left, right);
  }

  static Field<Instant> statementStart() {
    return field("pg_catalog.statement_timestamp()", SQLDataType.INSTANT);
  }
}
