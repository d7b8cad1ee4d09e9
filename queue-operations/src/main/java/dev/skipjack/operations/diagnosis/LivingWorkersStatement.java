package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.util.List;
import org.jooq.DSLContext;

/**
 * Lists the queues and kinds of the living workers: {@code SELECT queues, kinds FROM job_workers
 * WHERE seen_at BETWEEN now() - :silence AND now() + :silence ORDER BY seen_at DESC LIMIT 1000}.
 * Locks nothing.
 */
final class LivingWorkersStatement {

  private LivingWorkersStatement() {}

  /** A living worker. */
  record Facts(List<String> queues, List<String> kinds) {

    boolean runs(String queue, String kind) {
      return queues.contains(queue) && kinds.contains(kind);
    }
  }

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOB_WORKERS.QUEUES, JOB_WORKERS.KINDS)
            .from(JOB_WORKERS)
            .where(WorkerFactsStatement.isAlive())
            .orderBy(JOB_WORKERS.SEEN_AT.desc())
            .limit(inline(WorkerFactsStatement.MOST)),
        row -> new Facts(row.texts(JOB_WORKERS.QUEUES), row.texts(JOB_WORKERS.KINDS)));
  }
}
