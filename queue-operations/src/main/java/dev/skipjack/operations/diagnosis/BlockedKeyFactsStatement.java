package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.JobId;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;

/**
 * Lists the ordering keys that a dead job blocks: {@code SELECT ordering_key, id FROM jobs WHERE
 * ordering_head AND status = 'dead' AND ordering_key IS NOT NULL ORDER BY ordering_key LIMIT 1001}.
 * Locks nothing.
 */
final class BlockedKeyFactsStatement {

  /** The bound of the list. A list of this length means that there may be more. */
  static final int WINDOW = 1_001;

  private BlockedKeyFactsStatement() {}

  /** A blocked key and the dead job that blocks it. */
  record Facts(String orderingKey, JobId head) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOBS.ORDERING_KEY, JOBS.ID)
            .from(JOBS)
            .where(condition(JOBS.ORDERING_HEAD))
            .and(JobPredicates.DEAD)
            .and(JOBS.ORDERING_KEY.isNotNull())
            .orderBy(JOBS.ORDERING_KEY)
            .limit(inline(WINDOW)),
        row -> new Facts(row.text(JOBS.ORDERING_KEY), new JobId(row.number(JOBS.ID))));
  }
}
