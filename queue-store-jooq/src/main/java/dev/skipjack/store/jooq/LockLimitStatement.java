package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_LIMITS;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.LimitLock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.SelectConditionStep;

/**
 * Locks a limit for one claim. Returns no row if another claim or an operator has locked it.
 *
 * <pre>{@code
 * SELECT name FROM job_limits
 *  WHERE name = :limit AND pg_try_advisory_xact_lock_shared(hashtextextended(:limit, 1)) FOR NO KEY UPDATE SKIP LOCKED
 * }</pre>
 *
 * <p>If no number of the limit applies to all groups together, the claim only shares the limit's
 * advisory lock and does not lock the row, so that claims of different groups run at the same time.
 * No claim runs during a change ({@link LimitLock}).
 *
 * <p>The claim counts the running jobs in a statement of its own, after this one. A statement that
 * locks and counts at once would count what was running when it began, before it had the lock, and
 * would exceed the limit (docs/adr/0058).
 *
 * <p>Lock order: the limit, then its groups ({@link LockGroupsStatement}), then jobs. None of them
 * is waited for. The lock writes no new version of the row, and is free when this claim has
 * committed.
 */
final class LockLimitStatement {

  private static final Field<String> LIMIT = Texts.param("limit");

  private LockLimitStatement() {}

  static Statement<String, String> of(DSLContext dialect) {
    return of(dialect, shared().forNoKeyUpdate().skipLocked());
  }

  /** Creates the statement that does not lock the row. */
  static Statement<String, String> ofShared(DSLContext dialect) {
    return of(dialect, shared());
  }

  private static SelectConditionStep<Record1<String>> shared() {
    return select(JOB_LIMITS.NAME)
        .from(JOB_LIMITS)
        .where(JOB_LIMITS.NAME.eq(LIMIT))
        .and(LimitLock.isShared(LIMIT));
  }

  private static Statement<String, String> of(DSLContext dialect, ResultQuery<?> query) {
    return Statement.of(
        dialect,
        query,
        limit -> new Arguments().text("limit", limit),
        (Row row) -> row.text(JOB_LIMITS.NAME));
  }
}
