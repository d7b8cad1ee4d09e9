package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_LIMITS;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.DSLContext;

/**
 * Locks a limit for one claim: {@code SELECT name FROM job_limits WHERE name = :limit FOR NO KEY
 * UPDATE SKIP LOCKED}. Returns no row if another claim or an operator has locked it.
 *
 * <p>The claim counts the running jobs in a statement of its own, after this one. A statement that
 * locks and counts at once would count what was running when it began, before it had the lock, and
 * would exceed the limit (docs/adr/0058).
 *
 * <p>Lock order: the limit, then its groups ({@link LockGroupsStatement}), then jobs. None of them
 * is waited for. The lock writes no new version of the row, and the next claim may take it as soon
 * as this one has committed.
 */
final class LockLimitStatement {

  private LockLimitStatement() {}

  static Statement<String, String> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOB_LIMITS.NAME)
            .from(JOB_LIMITS)
            .where(JOB_LIMITS.NAME.eq(Texts.param("limit")))
            .forNoKeyUpdate()
            .skipLocked(),
        limit -> new Arguments().text("limit", limit),
        (Row row) -> row.text(JOB_LIMITS.NAME));
  }
}
