package dev.skipjack.store.jooq;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import org.jooq.DSLContext;

/** The statements behind a person's commands, rendered once for a schema. */
final class AdminStatements {

  final StatementText cancel;
  final StatementText redrive;
  final StatementText edit;
  final StatementText prune;
  final StatementText deadJobs;
  final StatementText deadJobsOfQueue;
  final StatementText deadJobsOfKind;
  final StatementText deadJobsOfQueueAndKind;

  AdminStatements(String schema) {
    DSLContext dsl = StatementDialect.forSchema(schema);
    cancel = StatementText.render(dsl, CancelStatement.query());
    redrive = StatementText.render(dsl, RedriveStatement.query());
    edit = StatementText.render(dsl, EditStatement.query());
    prune = StatementText.render(dsl, PruneStatement.query());
    deadJobs = StatementText.render(dsl, DeadJobsStatement.query(false, false));
    deadJobsOfQueue = StatementText.render(dsl, DeadJobsStatement.query(true, false));
    deadJobsOfKind = StatementText.render(dsl, DeadJobsStatement.query(false, true));
    deadJobsOfQueueAndKind = StatementText.render(dsl, DeadJobsStatement.query(true, true));
  }

  StatementText deadJobs(DeadJobs which) {
    if (which.queue().isPresent()) {
      return which.kind().isPresent() ? deadJobsOfQueueAndKind : deadJobsOfQueue;
    }
    return which.kind().isPresent() ? deadJobsOfKind : deadJobs;
  }
}
