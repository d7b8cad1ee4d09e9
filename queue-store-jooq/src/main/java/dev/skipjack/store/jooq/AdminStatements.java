package dev.skipjack.store.jooq;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.store.jooq.spi.HotStatement;
import org.jooq.DSLContext;

/** The statements behind a person's commands, rendered once for a schema. */
final class AdminStatements {

  final HotStatement cancel;
  final HotStatement redrive;
  final HotStatement edit;
  final HotStatement prune;
  final HotStatement deadJobs;
  final HotStatement deadJobsOfQueue;
  final HotStatement deadJobsOfKind;
  final HotStatement deadJobsOfQueueAndKind;

  AdminStatements(String schema) {
    DSLContext dsl = StatementDialect.forSchema(schema);
    cancel = HotStatement.render(dsl, CancelStatement.query());
    redrive = HotStatement.render(dsl, RedriveStatement.query());
    edit = HotStatement.render(dsl, EditStatement.query());
    prune = HotStatement.render(dsl, PruneStatement.query());
    deadJobs = HotStatement.render(dsl, DeadJobsStatement.query(false, false));
    deadJobsOfQueue = HotStatement.render(dsl, DeadJobsStatement.query(true, false));
    deadJobsOfKind = HotStatement.render(dsl, DeadJobsStatement.query(false, true));
    deadJobsOfQueueAndKind = HotStatement.render(dsl, DeadJobsStatement.query(true, true));
  }

  HotStatement deadJobs(DeadJobs which) {
    if (which.queue().isPresent()) {
      return which.kind().isPresent() ? deadJobsOfQueueAndKind : deadJobsOfQueue;
    }
    return which.kind().isPresent() ? deadJobsOfKind : deadJobs;
  }
}
