package dev.skipjack.store.jooq;

import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import org.jooq.DSLContext;

/** The reader's statements, rendered once for a schema. */
final class ReadStatements {

  final StatementText find;
  final StatementText executions;
  final StatementText listLive;
  final StatementText listRunning;
  final StatementText listWaiting;
  final StatementText listDead;
  final StatementText listDue;
  final StatementText listArchived;
  final StatementText counts;
  final StatementText countSample;
  final StatementText oldestPending;
  final StatementText deadLetters;
  final StatementText queueSettings;
  final StatementText workers;

  ReadStatements(String schema) {
    DSLContext dsl = StatementDialect.forSchema(schema);
    find = StatementText.render(dsl, FindStatement.query());
    executions = StatementText.render(dsl, ExecutionsStatement.query());
    listLive = StatementText.render(dsl, ListLiveStatement.query());
    listRunning = StatementText.render(dsl, ListFewStatement.running());
    listWaiting = StatementText.render(dsl, ListFewStatement.waiting());
    listDead = StatementText.render(dsl, ListDeadStatement.query());
    listDue = StatementText.render(dsl, ListDueStatement.query());
    listArchived = StatementText.render(dsl, ListArchivedStatement.query());
    counts = StatementText.render(dsl, CountsStatement.query());
    countSample = StatementText.render(dsl, CountSampleStatement.query(dsl));
    oldestPending = StatementText.render(dsl, OldestPendingStatement.query());
    deadLetters = StatementText.render(dsl, DeadLettersStatement.query());
    queueSettings = StatementText.render(dsl, QueueSettingsStatement.query());
    workers = StatementText.render(dsl, WorkersStatement.query());
  }
}
