package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOB_BATCHES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.util.Collection;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.SelectConditionStep;

/**
 * Finds the batches that a worker must act on, among those that were named, or among the next ones
 * of a sweep.
 *
 * <pre>{@code
 * SELECT id, cancelled_at IS NOT NULL AS is_cancelled, (<all jobs have ended>) OR (<first dead job>) AS is_ready
 *   FROM job_batches WHERE id = ANY (:batches) AND sealed_at IS NOT NULL AND finished_at IS NULL
 *
 * SELECT ... WHERE id > :after AND sealed_at IS NOT NULL AND finished_at IS NULL ORDER BY id LIMIT :limit
 * }</pre>
 *
 * <p>It reads a few index entries for each batch ({@link BatchPredicates}), regardless of the
 * number of jobs. Locks nothing. {@link SettleBatchesStatement} checks the result again.
 */
final class FindBatchesStatement {

  private static final Param<Long[]> BATCHES = param("batches", Long[].class);
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);

  private static final Field<Boolean> IS_CANCELLED =
      field(JOB_BATCHES.CANCELLED_AT.isNotNull()).as("is_cancelled");
  private static final Field<Boolean> IS_READY =
      field(BatchPredicates.hasEnded(JOB_BATCHES).or(BatchPredicates.hasFirstDead(JOB_BATCHES)))
          .as("is_ready");

  private FindBatchesStatement() {}

  /**
   * An unfinished batch.
   *
   * @param isCancelled whether its remaining jobs must be cancelled
   * @param isReady whether it has finished, or has its first dead job
   */
  record Found(long id, boolean isCancelled, boolean isReady) {}

  /** A page of the sweep. */
  record Page(long after, int limit) {}

  /** Creates the statement that reads the named batches. */
  static Statement<Collection<Long>, Found> named(DSLContext dialect) {
    return Statement.of(
        dialect,
        where(JOB_BATCHES.ID.eq(any(BATCHES))),
        batches -> new Arguments().bigints("batches", batches, id -> id),
        FindBatchesStatement::read);
  }

  /** Creates the statement that reads the next page of all batches. */
  static Statement<Page, Found> next(DSLContext dialect) {
    return Statement.of(
        dialect,
        where(JOB_BATCHES.ID.gt(AFTER)).orderBy(JOB_BATCHES.ID).limit(LIMIT),
        page -> new Arguments().number("after", page.after()).number("limit", page.limit()),
        FindBatchesStatement::read);
  }

  private static SelectConditionStep<?> where(Condition which) {
    return select(JOB_BATCHES.ID, IS_CANCELLED, IS_READY)
        .from(JOB_BATCHES)
        .where(which)
        .and(BatchPredicates.OPEN);
  }

  private static Found read(Row row) throws SQLException {
    return new Found(row.number(JOB_BATCHES.ID), row.flag(IS_CANCELLED), row.flag(IS_READY));
  }
}
