package dev.skipjack.steps.internal;

import static dev.skipjack.model.Tables.JOB_SIGNALS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Deletes expired signals.
 *
 * <pre>{@code
 * WITH deleted AS (DELETE FROM job_signals WHERE id = ANY (ARRAY(
 *                    SELECT id FROM job_signals WHERE expires_at <= now() ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED)) RETURNING id)
 * SELECT count(*) FROM deleted
 * }</pre>
 *
 * <p>Skips rows that are locked, so it waits for none.
 */
final class ExpireSignalsStatement {

  static final int WINDOW = 1_000;

  private ExpireSignalsStatement() {}

  /** Creates the statement, which returns the number of deleted signals. */
  static Statement<NoRequest, Integer> of(DSLContext dialect) {
    CommonTableExpression<?> deleted =
        name("deleted")
            .as(
                deleteFrom(JOB_SIGNALS)
                    .where(
                        JOB_SIGNALS.ID.eq(
                            any(
                                array(
                                    select(JOB_SIGNALS.ID)
                                        .from(JOB_SIGNALS)
                                        .where(
                                            JOB_SIGNALS.EXPIRES_AT.le(
                                                DatabaseClock.TRANSACTION_START))
                                        .orderBy(JOB_SIGNALS.EXPIRES_AT)
                                        .limit(inline(WINDOW))
                                        .forUpdate()
                                        .skipLocked()))))
                    .returning(JOB_SIGNALS.ID));
    Field<Integer> signals = count();
    return Statement.of(
        dialect, with(deleted).select(signals).from(deleted), row -> row.integer(signals));
  }
}
